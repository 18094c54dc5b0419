package org.sluice.iop.session;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.sluice.core.request.Request;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.drain.Pace;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.outside.Guard;
import org.sluice.iop.outside.Leases;
import org.sluice.iop.service.Arrivals;
import org.sluice.iop.service.Attachments;
import org.sluice.iop.service.Closings;
import org.sluice.iop.service.Connection;
import org.sluice.iop.service.Ending;
import org.sluice.iop.service.Entrances;
import org.sluice.iop.service.Lengths;
import org.sluice.iop.service.Members;
import org.sluice.iop.service.OpenQueue;
import org.sluice.iop.service.OpenRequests;
import org.sluice.iop.service.OutsideOpens;
import org.sluice.iop.service.Overdue;
import org.sluice.iop.service.Preemption;
import org.sluice.iop.service.Requests;
import org.sluice.iop.service.Rings;
import org.sluice.iop.service.SessionState;
import org.sluice.iop.service.Settling;
import org.sluice.iop.service.SmallFileSync;
import org.sluice.iop.service.TimedSettling;
import org.sluice.iop.service.UncountedWrites;
import org.sluice.iop.service.Ungrouped;
import org.sluice.iop.trigger.Checkpoints;
import org.sluice.iop.trigger.Unfinished;
import org.sluice.iop.wave.Waves;

/** The parts that the service thread looks after, from the first process to the last commit. */
final class Session implements AutoCloseable {
  private static final long FIRST_MEMBER_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Context context;
  private final Checkpoints checkpoints;
  private final Guard guard;
  private final Lengths lengths;
  private final Rings rings;
  private final Attachments attachments;
  private final Settling settling;
  private final TimedSettling timedSettling;
  private final Ungrouped ungrouped;
  private final Overdue overdue;
  private final OutsideOpens outsideOpens;
  private final UncountedWrites unseen;
  private final SmallFileSync unannounced;
  private final Closings closings;
  private final Members members;
  private final Preemption preemption;

  /** The waves; null while there is no MPI job that takes waves. */
  private Waves waves;

  private final Entrances entrances;
  private final Requests requests;
  private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private final long started = System.nanoTime();
  private long renewed = started;
  private Ending ending;

  /**
   * Creates a session that begins, or goes on where the journal ends.
   *
   * @param state state by the journal so far
   * @param guard sight of programs outside that open images; stays the caller's
   */
  Session(
      final Context context, final SessionState state, final Guard guard, final IntSupplier clients)
      throws IOException {
    this.context = context;
    this.guard = guard;
    checkpoints = Checkpoints.of(context);
    checkpoints.resting().count(clients);
    rings = new Rings(context.segment(), context.drain(), context.journal().inFlight());
    attachments = new Attachments(context, rings);
    settling = new Settling(context, attachments, rings);
    timedSettling = new TimedSettling(context, attachments, rings);
    ungrouped = new Ungrouped(context, checkpoints, settling);
    checkpoints.groups().names().ungrouped(ungrouped::add);
    overdue = new Overdue(context, checkpoints, settling);
    unseen = new UncountedWrites(context);
    unannounced = new SmallFileSync(context.segment().header());
    outsideOpens = new OutsideOpens(context, checkpoints, settling, guard, attachments);
    final Leases leases = outsideOpens.leases();
    lengths = new Lengths(context, guard);
    closings = new Closings(context, checkpoints, unseen, settling, leases, lengths);
    final OpenRequests openRequests =
        new OpenRequests(
            context, checkpoints, unseen, attachments, settling, ungrouped, leases, closings);
    entrances = new Entrances(context, attachments, openRequests, timedSettling);
    rings.entrance(entrances::take);
    rings.closing(openRequests::close);
    attachments.abandonment(openRequests::abandon);
    members = new Members(context, state);
    preemption = new Preemption(context, members);
    requests =
        new Requests(
            context,
            checkpoints,
            attachments,
            rings,
            openRequests,
            new OpenQueue(context, checkpoints, attachments, openRequests),
            new Arrivals(context, checkpoints, openRequests, outsideOpens, attachments),
            closings,
            settling,
            timedSettling,
            members,
            preemption,
            this::waves);
    new Resumption(context, checkpoints, state, attachments, rings, closings).resume();
    attachments.all().forEach(timedSettling::watch);
    context.registry().all().forEach(outsideOpens::resume);
    guard.listen(context.service(), outsideOpens);
    tellOfGuard();
    lengths.tell();
    lengths.resumed(context.registry().all(), context.segment().header().heartbeat());
    checkpoints.retention().begin();
    context.drain().tidy(false);
  }

  private void tellOfGuard() {
    context.segment().header().leases(outsideOpens.leases().areUsed());
    if (guard.asks()) {
      context.segment().header().guarded();
    }
  }

  private Waves waves() {
    if (waves == null) {
      waves = new Waves(context, checkpoints.explicit());
    }
    return waves;
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

  Rings rings() {
    return rings;
  }

  Attachments attachments() {
    return attachments;
  }

  /** Returns the pace of the threads of the drain and of the service. */
  Pace pace() {
    return context.drain().pace();
  }

  /**
   * Does the work that is due, and returns whether there is more once the rings were read again.
   */
  boolean proceed() {
    timedSettling.proceed();
    ungrouped.proceed();
    checkpoints.resting().proceed();
    attachments.limit();
    outsideOpens.leases().proceed();
    if (waves != null) {
      waves.beat();
    }
    return checkpoints.groups().proceed(attachments::poll);
  }

  /** Makes images give up descriptors, if any can, as none is left. */
  void shortOfDescriptors() {
    checkpoints.resting().relieve();
  }

  void beat() {
    attachments.endDead();
    context.segment().chunkPool().recount();
    context.waiters().expire();
    guard.beat();
    outsideOpens.beat();
    tellOfGuard();
    lengths.tell();
    if (System.nanoTime() - renewed > RENEWAL_NANOS) {
      renewed = System.nanoTime();
      renew();
      closings.forgetDeleted();
    }
    closings.findRenamed();
    overdue.beat();
    checkpoints.groups().lookAround();
    checkpoints.resting().beat();
    endIfDeserted();
    if (ending != null) {
      ending.proceed();
    }
    preemption.proceed();
  }

  private void endIfDeserted() {
    if (ending == null && isDeserted()) {
      end(members.succeeded());
    }
  }

  private void renew() {
    try {
      context.store().renew();
    } catch (final IOException e) {
      Warnings.warn("another session may take this one's files if it is killed: " + e);
    }
  }

  /** Returns whether all members have left, or never came, or never came back. */
  private boolean isDeserted() {
    return context.settings().endsWithMembers()
        && members.isEmpty()
        && (!members.areAwaited() || System.nanoTime() - started > FIRST_MEMBER_NANOS);
  }

  /** Returns the time until the next look is due, in milliseconds, at most a limit. */
  long patience(final long limit) {
    final long most = waves == null ? limit : waves.patience(limit);
    final long waited = context.waiters().patience(checkpoints.groups().patience(most));
    final long next = ungrouped.patience(timedSettling.patience(waited));
    final long looked = outsideOpens.patience(outsideOpens.leases().patience(next));
    final boolean open = context.state().images().areOpen();
    final boolean committing = !context.state().commits().isEmpty();
    return pace().look(open, committing, context.drain().isIdle(), looked);
  }

  /**
   * Stops the I/O process. A session with members ends with them, or now if no member has joined
   * yet. Any other session ends now.
   *
   * @param interrupts whether a user waits who wants the end to come
   */
  void stop(final boolean interrupts) {
    if (interrupts && ending != null) {
      preemption.interrupt();
      return;
    }
    preemption.begin(0);
    if (context.settings().endsWithMembers()) {
      expectNobody();
    } else {
      end(false);
    }
  }

  /**
   * Says that the process which started a session with members is gone. The session ends unless
   * others have joined it.
   */
  void expectNobody() {
    members.expectNobody();
    endIfDeserted();
  }

  boolean isEnding() {
    return ending != null;
  }

  /** Begins to end the session; a second call does nothing. */
  void end(final boolean succeeded) {
    if (ending == null) {
      entrances.end();
      ending =
          new Ending(
              context, checkpoints, succeeded, attachments, settling, unseen, unannounced, over);
      preemption.ending(ending);
      begun.complete(succeeded);
    }
  }

  /** Returns a future completed when the end has begun, with whether the command succeeded. */
  CompletableFuture<Boolean> ending() {
    return begun;
  }

  /** Returns a future completed when everything is drained and committed; never exceptionally. */
  CompletableFuture<Void> over() {
    return over;
  }

  /** Ends the restarts and the drain; only {@link #tell} is left to do. */
  @Override
  public void close() throws IOException {
    checkpoints.restarts().close();
    unannounced.close();
    context.drain().close();
    lengths.close(over.isDone());
  }

  /** Tells the last member that the session is over. */
  void tell() {
    members.sessionOver(context.statistics().failure());
  }

  /** Returns the checkpoints and files that are not committed, a line each. */
  List<String> unfinished() {
    return Unfinished.lines(context);
  }

  /** Runs a step once the present work of the drain is done. */
  void afterwards(final Runnable step) {
    context.afterwards(step);
  }
}
