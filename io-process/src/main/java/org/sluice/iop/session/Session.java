package org.sluice.iop.session;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.sluice.core.posix.Names;
import org.sluice.core.request.Request;
import org.sluice.core.request.RuntimePath;
import org.sluice.core.segment.Segment;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.node.HeldLinks;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.checkpoint.Predecessors;
import org.sluice.iop.checkpoint.SessionSettings;
import org.sluice.iop.checkpoint.SharedFiles;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.drain.Pace;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Descriptors;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.Images;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.outside.Guard;
import org.sluice.iop.outside.Leases;
import org.sluice.iop.outside.Lengths;
import org.sluice.iop.service.Admissions;
import org.sluice.iop.service.Arrivals;
import org.sluice.iop.service.Attachments;
import org.sluice.iop.service.CheckpointRequests;
import org.sluice.iop.service.Closings;
import org.sluice.iop.service.Connection;
import org.sluice.iop.service.Ending;
import org.sluice.iop.service.Entrances;
import org.sluice.iop.service.FileRequests;
import org.sluice.iop.service.Members;
import org.sluice.iop.service.OpenQueue;
import org.sluice.iop.service.OpenRequests;
import org.sluice.iop.service.Openings;
import org.sluice.iop.service.OutsideOpens;
import org.sluice.iop.service.Overdue;
import org.sluice.iop.service.Preemption;
import org.sluice.iop.service.ReplaceRequests;
import org.sluice.iop.service.Requests;
import org.sluice.iop.service.Rings;
import org.sluice.iop.service.SessionRequests;
import org.sluice.iop.service.SessionState;
import org.sluice.iop.service.Settling;
import org.sluice.iop.service.SmallFileSync;
import org.sluice.iop.service.TimedSettling;
import org.sluice.iop.service.UncountedWrites;
import org.sluice.iop.service.Ungrouped;
import org.sluice.iop.shared.SoleWriter;
import org.sluice.iop.trigger.Checkpoints;
import org.sluice.iop.wave.Waves;

/** The parts that the service thread looks after, from the first process to the last commit. */
final class Session implements AutoCloseable {
  private static final long FIRST_MEMBER_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Segment segment;
  private final SessionStore store;
  private final SessionSettings settings;
  private final Statistics statistics;
  private final Decisions decisions;
  private final Guard guard;
  private final Drain drain;
  private final CapturedFiles files;
  private final Checkpoints checkpoints;
  private final Waves waves;
  private final Rings rings;
  private final Attachments attachments;
  private final Leases leases;
  private final OutsideOpens outsideOpens;
  private final Lengths lengths;
  private final TimedSettling timedSettling;
  private final Ungrouped ungrouped;
  private final Overdue overdue;
  private final SmallFileSync unannounced;
  private final Closings closings;
  private final Entrances entrances;
  private final Members members;
  private final Ending ending;
  private final Preemption preemption;
  private final Requests requests;
  private final long started = System.nanoTime();
  private long renewed = started;

  /**
   * Creates a session that begins, or goes on where the journal ends.
   *
   * @param past state by the journal so far, which goes on to record decisions
   * @param guard sight of programs outside that open images; stays the caller's
   */
  Session(
      final Segment segment,
      final SessionStore store,
      final SessionSettings settings,
      final Statistics statistics,
      final SessionJournal past,
      final Guard guard,
      final Inbox inbox)
      throws IOException {
    this.segment = segment;
    this.store = store;
    this.settings = settings;
    this.statistics = statistics;
    this.guard = guard;
    decisions = past.decisions();
    final CaptureDirectory capture = capture();
    final CheckpointStorage storage = storage(capture);
    drain = drain(inbox);
    files = files(capture);
    checkpoints = new Checkpoints(decisions, storage, files, drain, settings, statistics, segment);
    checkpoints.resting().count(inbox::connections);
    waves =
        new Waves(
            segment.header(),
            storage,
            decisions.state(),
            inbox,
            checkpoints.waiters(),
            checkpoints.explicit());
    final ImageRegistry registry = files.registry();
    rings = new Rings(segment, drain::publish, drain::has, decisions.journal().inFlight());
    attachments =
        new Attachments(
            segment,
            decisions,
            registry,
            drain,
            statistics,
            rings,
            RuntimePath.find(settings.name()));
    final Settling settling = new Settling(registry, drain, attachments, rings);
    timedSettling = new TimedSettling(segment, capture, drain, attachments, rings);
    ungrouped = new Ungrouped(registry, drain.layout(), checkpoints, settling);
    checkpoints.groups().names().ungrouped(ungrouped::add);
    overdue =
        new Overdue(
            drain.layout(), settings.checkpoints().settle(), checkpoints.groups(), settling);
    leases = new Leases(registry, segment.header(), drain.layout(), statistics, guard);
    outsideOpens =
        new OutsideOpens(registry, drain, checkpoints, settling, leases, guard, attachments);
    lengths = new Lengths(segment, storage, capture, drain, statistics, guard);
    final UncountedWrites unseen = new UncountedWrites(files, drain, statistics);
    closings = new Closings(files, drain, checkpoints, unseen, settling, leases, lengths);
    final Openings openings =
        new Openings(decisions, registry, drain, statistics, checkpoints, closings);
    entrances =
        new Entrances(
            decisions, files, segment, store.store(), attachments, openings, timedSettling);
    rings.entrance(entrances::take);
    rings.closing(openings::close);
    attachments.abandonment(openings::abandon);
    attachments.departure(checkpoints.explicit()::left);
    members = new Members(settings, decisions.journal(), drain, past.state());
    unannounced = new SmallFileSync(segment.header());
    ending =
        new Ending(
            store.publisher(), drain, statistics, checkpoints, settling, unseen, unannounced);
    preemption = new Preemption(settings, store.publisher(), members, checkpoints.unfinished());
    final FileRequests fileRequests = fileRequests(settling, openings, unseen);
    requests =
        new Requests(
            decisions.journal().inFlight(),
            registry,
            rings,
            new SessionRequests(
                segment.header(),
                statistics,
                attachments,
                timedSettling,
                openings,
                members,
                preemption),
            fileRequests,
            new CheckpointRequests(
                checkpoints, store.publisher(), attachments, fileRequests, waves));
    resume(past.state());
  }

  private CaptureDirectory capture() throws IOException {
    final String captured = segment.header().capture();
    if (settings.checkpoints().alone().isPresent()) {
      store.publisher().checkPrivateFiles();
    }
    return new CaptureDirectory(
        captured.isEmpty() ? null : captured, Names.real(store.root().toString()));
  }

  private CheckpointStorage storage(final CaptureDirectory capture) throws IOException {
    final long sessionId = segment.header().sessionId();
    final boolean tellsPrograms = !store.publisher().hasNodes() || capture.isShared();
    return new CheckpointStorage(
        store.store(),
        store.publisher(),
        sessionId,
        Predecessors.of(
            tellsPrograms ? segment.header().capture() : "",
            store.store(),
            store.publisher(),
            sessionId,
            decisions.state()),
        statistics);
  }

  private Drain drain(final Inbox inbox) throws IOException {
    return new Drain(
        segment,
        decisions.state().images().layout(),
        store.store(),
        NodeIdentity.self().name(),
        statistics,
        decisions.journal(),
        inbox);
  }

  /** Returns the captured files. Links of images that were not at rest are nobody's. */
  private CapturedFiles files(final CaptureDirectory capture) throws IOException {
    final Images images = decisions.state().images();
    final HeldLinks links = store.store().heldLinks(segment.header().sessionId());
    final Descriptors descriptors =
        new Descriptors(
            links, links.resume(images.all().stream().map(Image::id).collect(Collectors.toSet())));
    return new CapturedFiles(
        new ImageRegistry(segment.imageTable(), images, decisions.journal(), guard, descriptors),
        capture,
        new SharedFiles(settings.checkpoints(), capture, statistics),
        new SoleWriter(capture, segment.imageTable()));
  }

  private FileRequests fileRequests(
      final Settling settling, final Openings openings, final UncountedWrites unseen) {
    final Admissions admissions =
        new Admissions(
            files, segment.creations(), statistics, checkpoints, attachments, leases, openings);
    final OpenRequests openRequests =
        new OpenRequests(files, drain, checkpoints, settling, ungrouped, admissions, openings);
    return new FileRequests(
        files.registry(),
        new OpenQueue(files, checkpoints, attachments, openRequests, openings, unseen),
        new ReplaceRequests(files, drain, checkpoints, attachments, settling, leases, admissions),
        new Arrivals(files, checkpoints, admissions, outsideOpens, attachments),
        closings,
        settling,
        timedSettling);
  }

  private void resume(final SessionState past) throws IOException {
    final Resumption resumption =
        new Resumption(files, store.store(), drain, checkpoints, past, attachments, closings);
    resumption.resume();
    files.registry().all().forEach(outsideOpens::resume);
    resumption.finish();
    attachments.all().forEach(timedSettling::watch);
    guard.listen(drain.service(), outsideOpens);
    tellOfGuard();
    lengths.tell();
    lengths.resumed(files.registry().all(), segment.header().heartbeat());
    checkpoints.retention().begin();
    drain.tidy(false);
  }

  private void tellOfGuard() {
    segment.header().leases(leases.areUsed());
    if (guard.asks()) {
      segment.header().guarded();
    }
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
    return drain.pace();
  }

  /**
   * Does the work that is due, and returns whether there is more once the rings were read again.
   *
   * @param readRequests takes the requests that processes have sent
   */
  boolean proceed(final Runnable readRequests) {
    timedSettling.proceed();
    ungrouped.proceed();
    checkpoints.resting().proceed();
    attachments.limit();
    leases.proceed();
    waves.beat();
    return checkpoints
        .groups()
        .proceed(
            () -> {
              attachments.poll();
              readRequests.run();
            });
  }

  /** Makes images give up descriptors, if any can, as none is left. */
  void shortOfDescriptors() {
    checkpoints.resting().relieve();
  }

  void beat() {
    attachments.endDead();
    segment.chunkPool().recount();
    checkpoints.waiters().expire();
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
    attachments.poll(); // the last member may have left since, behind the closes of its ranks
    checkpoints.explicit().beat();
    endIfDeserted();
    ending.proceed();
    preemption.proceed();
  }

  private void endIfDeserted() {
    if (!ending.hasBegun() && isDeserted()) {
      end(members.succeeded());
    }
  }

  private void renew() {
    try {
      store.store().renew();
    } catch (final IOException e) {
      Warnings.warn("another session may take this one's files if it is killed: " + e);
    }
  }

  /** Returns whether all members have left, or never came, or never came back. */
  private boolean isDeserted() {
    return settings.endsWithMembers()
        && members.isEmpty()
        && (!members.areAwaited() || System.nanoTime() - started > FIRST_MEMBER_NANOS);
  }

  /** Returns the time until the next look is due, in milliseconds, at most a limit. */
  long patience(final long limit) {
    final long most = waves.patience(limit);
    final long waited = checkpoints.waiters().patience(checkpoints.groups().patience(most));
    final long next = ungrouped.patience(timedSettling.patience(waited));
    final long looked = outsideOpens.patience(leases.patience(next));
    final boolean open = decisions.state().images().areOpen();
    final boolean committing = checkpoints.areCommitting();
    return pace().look(open, committing, drain.isIdle(), looked);
  }

  /**
   * Stops the I/O process. A session with members ends with them, or now if no member has joined
   * yet. Any other session ends now.
   *
   * @param interrupts whether a user waits who wants the end to come
   */
  void stop(final boolean interrupts) {
    if (interrupts && ending.hasBegun()) {
      preemption.interrupt();
      return;
    }
    preemption.begin(0);
    if (settings.endsWithMembers()) {
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
    return ending.hasBegun();
  }

  /** Begins to end the session; a second call does nothing. */
  void end(final boolean succeeded) {
    if (!ending.hasBegun()) {
      entrances.end();
      preemption.ending(ending);
      ending.begin(succeeded);
    }
  }

  /** Returns a future completed when the end has begun, with whether the command succeeded. */
  CompletableFuture<Boolean> ending() {
    return ending.begun();
  }

  /** Returns a future completed when everything is drained and committed; never exceptionally. */
  CompletableFuture<Void> over() {
    return ending.over();
  }

  /** Ends the restarts and the drain; only {@link #tell} is left to do. */
  @Override
  public void close() throws IOException {
    checkpoints.restarts().close();
    unannounced.close();
    drain.close();
    lengths.close(ending.over().isDone());
    if (ending.over().isDone()) {
      files.registry().forgetAll();
    }
  }

  /** Tells the last member that the session is over. */
  void tell() {
    members.sessionOver(statistics.failure());
  }

  /** Returns the checkpoints and files that are not committed, a line each. */
  List<String> unfinished() {
    return checkpoints.unfinished().lines();
  }

  /** Runs a step once the present work of the drain is done. */
  void afterwards(final Runnable step) {
    drain.continueAfter(step);
  }
}
