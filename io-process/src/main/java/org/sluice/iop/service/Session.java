package org.sluice.iop.service;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.sluice.core.request.Request;
import org.sluice.core.segment.Segment;
import org.sluice.core.store.Draft;
import org.sluice.core.store.PosixStore;
import org.sluice.core.store.RankSet;
import org.sluice.iop.checkpoint.Checkpoints;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.checkpoint.SharedFiles;
import org.sluice.iop.checkpoint.Waiters;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.guard.Guard;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/** Everything the service thread looks after, from the first process to the last commit. */
final class Session implements AutoCloseable {
  private static final long FIRST_MEMBER_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Segment segment;
  private final PosixStore store;
  private final SessionSettings settings;
  private final Executor service;
  private final Drain drain;
  private final Statistics statistics;
  private final Rings rings;
  private final Attachments attachments;
  private final Settling settling;
  private final TimedSettling timedSettling;
  private final Guard guard;
  private final OutsideOpens outsideOpens;
  private final Checkpoints checkpoints;
  private final Unseen unseen;
  private final Closings closings;
  private final OpenRequests openRequests;
  private final Members members;
  private final Requests requests;
  private final CompletableFuture<Void> begun = new CompletableFuture<>();
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private final long started = System.nanoTime();
  private long renewed = started;
  private Ending ending;

  /**
   * A session without processes.
   *
   * @param journal learns what is decided
   * @param state what the journal says so far
   * @param guard sees programs outside open images; stays the caller's
   * @param service runs what it is given on the service thread
   */
  Session(
      final Segment segment,
      final PosixStore store,
      final SessionSettings settings,
      final Statistics statistics,
      final Journal journal,
      final SessionState state,
      final Guard guard,
      final Executor service)
      throws IOException {
    this.guard = guard;
    this.segment = segment;
    this.store = store;
    this.settings = settings;
    this.statistics = statistics;
    this.service = service;
    drain = new Drain(segment, store, settings.node(), statistics, journal);
    final ImageRegistry registry =
        new ImageRegistry(segment.imageTable(), state.images(), journal, guard);
    final CaptureDirectory capture =
        new CaptureDirectory(settings.capture(), store.directory().toRealPath());
    rings = new Rings(segment, drain, journal.inFlight());
    attachments = new Attachments(segment, rings, drain, statistics, journal, state.images());
    settling = new Settling(attachments, rings, drain, service);
    timedSettling =
        new TimedSettling(
            drain.isInPlace() && settings.capture() != null, segment, attachments, rings, drain);
    final long sessionId = segment.header().sessionId();
    final Draft header =
        new Draft(
            0,
            settings.node(),
            settings.job(),
            segment.header().layout(),
            0,
            RankSet.NONE,
            false,
            sessionId,
            List.of());
    final SharedFiles shared = new SharedFiles(settings.grouping(), capture, statistics);
    checkpoints =
        Checkpoints.of(
            new Context(
                store,
                registry,
                drain,
                capture,
                statistics,
                journal,
                state.checkpoints(),
                service,
                header,
                drain.isInPlace() ? null : settings.grouping(),
                shared,
                new Waiters(store, state.checkpoints())),
            settings.writers(),
            settings.keep());
    unseen = new Unseen(registry, capture, drain, statistics, service);
    outsideOpens =
        new OutsideOpens(
            registry,
            settling,
            checkpoints,
            drain,
            guard,
            new ShimProcesses(settings.directory()),
            attachments,
            service,
            statistics);
    closings =
        new Closings(
            registry,
            capture,
            unseen,
            shared,
            settling,
            outsideOpens.leases(),
            drain,
            checkpoints,
            statistics,
            service);
    openRequests =
        new OpenRequests(
            registry,
            capture,
            unseen,
            shared,
            settling,
            outsideOpens.leases(),
            drain,
            checkpoints,
            statistics,
            journal,
            state.checkpoints(),
            closings,
            service);
    rings.closing(openRequests::close);
    attachments.abandonment(openRequests::abandon);
    members = new Members(settings.endsWithMembers(), drain, journal, state);
    requests =
        new Requests(
            segment.header(),
            attachments,
            rings,
            registry,
            openRequests,
            closings,
            settling,
            timedSettling,
            checkpoints,
            members,
            statistics,
            journal.inFlight());
    new Resumption(
            state,
            segment,
            store,
            registry,
            capture,
            attachments,
            rings,
            drain,
            closings,
            checkpoints)
        .resume();
    attachments.all().forEach(timedSettling::watch);
    registry.all().forEach(outsideOpens::resume);
    guard.listen(service, outsideOpens);
    segment.header().leases(outsideOpens.leases().areUsed());
    drain.tidy(false);
  }

  void receive(final Connection connection, final Request request, final Caller caller) {
    requests.receive(connection, request, caller);
    endIfDeserted();
  }

  void disconnected(final Connection connection) {
    members.disconnected(connection);
    if (connection.attachment() != null) {
      attachments.disconnected(connection.attachment(), connection);
    }
    endIfDeserted();
  }

  /** The rings that processes publish on. */
  Rings rings() {
    return rings;
  }

  /** The attached processes. */
  Attachments attachments() {
    return attachments;
  }

  /** Does what is due by now. */
  void proceed() {
    timedSettling.proceed();
    outsideOpens.leases().proceed();
  }

  /** What has to be looked at from time to time. */
  void beat() {
    attachments.endDead();
    segment.chunkPool().recount();
    checkpoints.context().waiters().expire();
    guard.beat();
    outsideOpens.beat();
    segment.header().leases(outsideOpens.leases().areUsed());
    if (System.nanoTime() - renewed > RENEWAL_NANOS) {
      renewed = System.nanoTime();
      renew();
      closings.forgetDeleted();
    }
    endIfDeserted();
    if (ending != null) {
      ending.proceed();
    }
  }

  private void endIfDeserted() {
    if (ending == null && isDeserted()) {
      end(members.succeeded());
    }
  }

  private void renew() {
    try {
      store.renew();
    } catch (final IOException e) {
      Warnings.warn("another session may take this one's files if it is killed: " + e);
    }
  }

  /** Whether its members have left, or never came, or never came back. */
  private boolean isDeserted() {
    return settings.endsWithMembers()
        && members.isEmpty()
        && (!members.areAwaited() || System.nanoTime() - started > FIRST_MEMBER_NANOS);
  }

  /** How long nothing has to be looked at, in milliseconds, if it is shorter than a limit. */
  long patience(final long limit) {
    final long next = timedSettling.patience(checkpoints.context().waiters().patience(limit));
    return outsideOpens.leases().patience(next);
  }

  boolean isEnding() {
    return ending != null;
  }

  /** Begins to end; asking again does nothing. */
  void end(final boolean commits) {
    if (ending == null) {
      ending =
          new Ending(
              commits,
              attachments,
              settling,
              unseen,
              checkpoints,
              drain,
              statistics,
              service,
              over);
      begun.complete(null);
    }
  }

  /** Completed when the end has begun. */
  CompletableFuture<Void> ending() {
    return begun;
  }

  /** Completed when everything is drained and committed; never exceptionally. */
  CompletableFuture<Void> over() {
    return over;
  }

  /** Ends the restarts and the drain; only {@link #tell} is left to do. */
  @Override
  public void close() throws IOException {
    checkpoints.restarts().close();
    drain.close();
  }

  /** Tells the last member that the session is over. */
  void tell() {
    members.sessionOver(statistics.failure());
  }
}
