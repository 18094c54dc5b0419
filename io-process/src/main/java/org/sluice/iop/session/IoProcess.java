package org.sluice.iop.session;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.sluice.bridge.NativeLibraries;
import org.sluice.core.command.Capacity;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.fault.Fault;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.Names;
import org.sluice.core.process.Membarrier;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentException;
import org.sluice.core.segment.SegmentSettings;
import org.sluice.core.store.directory.StoreProfile;
import org.sluice.core.store.disk.WriteMode;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Keeping;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.crash.FailStop;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.memory.MemoryLimit;
import org.sluice.iop.memory.Pages;
import org.sluice.iop.memory.Provision;
import org.sluice.iop.memory.SegmentPlace;
import org.sluice.iop.outside.Guard;
import org.sluice.iop.outside.GuardPlace;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.service.SessionState;
import org.sluice.iop.wave.WaveFiles;

/** An I/O process inside this one: runtime directory, store, segment, service thread. */
public final class IoProcess implements AutoCloseable {
  /** Says that the I/O process ends before it pays to make ready for more. */
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  private final RuntimeDirectory directory;
  private final Segment segment;
  private final Journal journal;
  private final Supplier<String> pages;
  private final Guard guard;
  private final Statistics statistics;
  private final Provision provision;
  private final Service service;
  private final StoreProfile profile;
  private final boolean measured;
  private final Thread thread;
  private final Publisher publisher;

  /**
   * Starts an I/O process, or resumes a killed one; clients can attach when this returns.
   *
   * @param resumes whether to go on, with its store and its buffer, where a killed one of that name
   *     left off, even if none of its processes lives
   */
  public IoProcess(final Settings settings, final boolean resumes) throws IOException {
    final Stops stops = Stops.heed();
    boolean goesOn = false;
    try {
      directory = keep(RuntimeDirectory.take(settings.session().name()));
      directory.others().removeStarts();
      directory.others().removeDeadRuns();
      if (WaveFiles.areOfAJob() && settings.stage() == null) {
        directory.others().removeJobs(settings.store().toAbsolutePath().normalize());
      }
      goesOn = directory.isLeft(resumes);
      directory.preserve(goesOn);
      FailStop.arm(settings.session().name(), directory.crash());
      directory.report().ifPresent(IoProcess::tellOfCrash);
      final OneJob job = keep(new OneJob(settings));
      final Supplier<SessionState> states;
      final SessionState state;
      if (goesOn) {
        segment = keep(Segment.map(directory.segment()));
        states = states(segment);
        state = states.get();
        journal =
            keep(Journal.resume(directory.journal(), segment.header().sessionId(), state, states));
        pages = () -> "as before";
      } else {
        directory.clear();
        final SegmentPlace place =
            SegmentPlace.find(
                directory.path(), settings.pages(), settings.geometry().segmentLength());
        segment = keep(createSegment(place.file(), settings, job));
        states = states(segment);
        state = states.get();
        journal = keep(Journal.create(directory.journal(), segment.header().sessionId(), states));
        pages = pages(place, segment, settings.pages());
      }
      FailStop.watch(journal.inFlight());
      final SessionStore opened =
          keep(
              SessionStore.of(
                  Path.of(segment.header().store()),
                  state.checkpoints().images().layout(),
                  settings));
      final PosixStore store = opened.store();
      final boolean grouped = opened.take(job, goesOn);
      if (!grouped) {
        segment.header().leaveSmall();
      }
      publisher = opened.publisher();
      if (WaveFiles.areOfThisProcess(store.directory())) {
        keep(WaveFiles.ofNode(store.directory()).take());
      }
      final CompletableFuture<Guard> starting = startGuard(guardPlace(opened.root()));
      final List<Commit> commits =
          store.commits(
              unreadable ->
                  Warnings.warn(
                      unreadable.getMessage()
                          + "; no room of older checkpoints is used again until sluice rm removed it, or"
                          + " sluice gc --damaged-logs a log"));
      if (!goesOn) {
        forecast(opened, commits, settings.session().keep());
      }
      profile = store.profile();
      measured = knows(profile, state.checkpoints().images().layout());
      statistics =
          new Statistics(
              segment.geometry().chunkCount() * (long) segment.geometry().chunkLength(),
              pages,
              segment.header(),
              store.profile()::mode);
      final ServerSocketChannel server = keep(directory.listen());
      Fault.arm(
          settings.faults()); // the store and the segment are there: what follows is the session
      guard = starting.join();
      provision =
          new Provision(
              segment.geometry().chunkCount(),
              new MemoryLimit(segment::provide, segment.geometry().chunkLength()),
              segment::withholdFrom);
      service =
          new Service(
              server,
              segment,
              store,
              publisher,
              grouped ? settings.session() : settings.session().ungrouped(),
              statistics,
              journal,
              state,
              guard,
              provision::look);
      if (publisher.hasNodes()) { // a log keeps jobs apart from the end of the program on
        service.ending().thenRun(job::leave);
      }
      segment.header().process(ProcessIdentity.current());
      stops.pass(() -> directory.preserve(true), signal -> service.stop(signal.equals("INT")));
    } catch (final IOException | CommandException e) {
      if (!goesOn) { // otherwise another one may go on with it, and the drain is at work
        close();
      }
      throw e;
    }
    keep(provision.begin());
    if (!measured) {
      measureInBackground();
    }
    thread = Thread.ofPlatform().name("service").start(service);
  }

  /** Of a job on several nodes that node tells which began the run. */
  private static void forecast(
      final SessionStore opened, final List<Commit> commits, final Keeping keep)
      throws IOException {
    final List<Commit> all = opened.publisher().newestBefore(commits);
    final long there = opened.publisher().countBefore(commits);
    Capacity.of(opened.root(), all)
        .flatMap(capacity -> capacity.lack(keep.most(), keep.countsEarlier() ? there : 0))
        .ifPresent(Warnings::warn);
  }

  /** One writer at a time gets into a container, and so into what would be measured for files. */
  private boolean knows(final StoreProfile profile, final Layout layout) throws IOException {
    final boolean known = profile.recall();
    final String captured = segment.header().capture();
    final boolean far =
        layout.drainsToFiles()
            && !captured.isEmpty()
            && new CaptureDirectory(captured, segment.header().store()).isShared();
    if (far) {
      profile.take(WriteMode.FAR_FILES);
    }
    return known || far;
  }

  private void measureInBackground() {
    final Thread measuring = Thread.ofPlatform().daemon().name("measure").start(this::measure);
    keep(
        () -> {
          measuring.interrupt();
          measuring.join();
        });
  }

  /** Without it the store is written to as a disk of this node is. */
  private void measure() {
    try {
      profile.measure();
    } catch (final IOException e) {
      Warnings.warn("cannot find out how to write to the store best: " + e.getMessage());
    }
  }

  /** Another process takes as long to start as all that this one has to do meanwhile. */
  private CompletableFuture<Guard> startGuard(final GuardPlace place) {
    final CompletableFuture<Guard> starting =
        CompletableFuture.supplyAsync(
            () -> new Guard(place), start -> Thread.ofPlatform().name("start guard").start(start));
    keep(() -> starting.join().close());
    return starting;
  }

  /** Null when nothing is captured, and so nothing to see to. */
  private GuardPlace guardPlace(final Path root) throws IOException {
    return segment.header().capture().isEmpty()
        ? null
        : new GuardPlace(
            NativeLibraries.guard(),
            directory.path().resolve("guard"),
            directory.segment(),
            Names.real(root.toString()));
  }

  private static void tellOfCrash(final Path report) {
    Warnings.warn(
        "the last I/O process of this name failed by a fault of its own; %s says where, report it"
            .formatted(report));
  }

  private <T extends AutoCloseable> T keep(final T part) {
    parts.push(part);
    return part;
  }

  private static Segment createSegment(final Path file, final Settings settings, final OneJob job)
      throws IOException {
    final Path store = SessionStore.find(settings, job);
    final boolean fixed = settings.threshold().isPresent();
    final SegmentSettings header =
        new SegmentSettings(
            Entropy.nextLong(),
            settings.layout(),
            settings.threshold().orElse(Long.MAX_VALUE),
            fixed ? HeaderDescriptor.POLICY_FIXED : HeaderDescriptor.POLICY_AUTO,
            settings.whenFull(),
            small(settings, store),
            store.toString(),
            settings.capture() == null ? "" : settings.capture());
    try {
      final Segment reserved = Segment.reserve(file, settings.geometry(), header);
      if (Membarrier.isAvailable()) {
        reserved.header().barrier(HeaderDescriptor.BARRIER_KERNEL);
      }
      return reserved;
    } catch (final SegmentException e) {
      if (e.isNoRoom()) {
        throw new CommandException(ExitStatus.NO_ROOM, e.getMessage());
      }
      throw e;
    }
  }

  /**
   * In containers on storage far away each file that a commit has to synchronise costs much. In
   * place nobody tells of small files, which a checkpoint may have: none is left to the kernel as
   * long as files are grouped, or may be.
   */
  private static long small(final Settings settings, final Path store) {
    final Grouping grouping = settings.session().grouping();
    final boolean told = settings.layout().tellsOfSmall();
    if (!told && grouping.exists()) {
      return grouping.isKnown() ? 0 : -settings.small();
    }
    final boolean far = new CaptureDirectory(settings.capture(), store.toString()).isShared();
    return far && told ? 0 : settings.small();
  }

  private static Supplier<SessionState> states(final Segment segment) {
    final Layout layout = segment.header().layout();
    return () -> new SessionState(layout);
  }

  /** The runtime directory, where clients find the socket. */
  public Path directory() {
    return directory.path();
  }

  /** What pages the segment lies on, and what would be better, on one line. */
  public String pages() {
    return pages.get();
  }

  /** To ask for them takes the kernel milliseconds. So that is done at once only if it decides. */
  private static Supplier<String> pages(
      final SegmentPlace place, final Segment segment, final Pages wanted) throws IOException {
    if (wanted == Pages.huge) {
      final String got = place.report(segment.hugeBytes(), wanted);
      return () -> got;
    }
    return () -> {
      try {
        return place.report(segment.hugeBytes(), wanted);
      } catch (final IOException e) {
        return "unknown: " + e.getMessage();
      }
    };
  }

  /** By what means programs outside Sluice are seen, on one line. */
  public String guard() {
    return guard.means();
  }

  public Segment segment() {
    return segment;
  }

  /** Completed when what is published by now is drained and committed. */
  public CompletableFuture<Void> drained() {
    return service.drained();
  }

  /** Whether checkpoints count where nodes commit together. */
  public boolean isOfSeveralNodes() {
    return publisher.awaitsNodes();
  }

  /** Whether there is nothing to copy from the stage. */
  public boolean areCopiesOver() {
    return publisher.areUploadsOver();
  }

  /** What is not committed, or not copied, a line each. */
  public CompletableFuture<List<String>> unfinished() {
    return service.unfinished();
  }

  /** Whether something stays on the stage that was to leave it. */
  public boolean areCopiesRefused() {
    return publisher.areUploadsRefused();
  }

  /** Bytes that are to be copied from the stage; 0 without one. */
  public long toCopy() {
    return publisher.bytesToUpload();
  }

  public Statistics statistics() {
    return statistics;
  }

  /** Who started it is gone. */
  public void expectNobody() {
    service.expectNobody();
  }

  /** Begins to end the session. */
  public void end(final boolean commits) {
    service.end(commits);
  }

  /** Completed when the session begins to end: with whether the command succeeded. */
  public CompletableFuture<Boolean> ending() {
    return service.ending();
  }

  /** Completed when everything is drained and committed. */
  public CompletableFuture<Void> over() {
    return service.over();
  }

  /**
   * Ends what is left of it; nothing is drained any more. Before that nobody is told that the
   * session is over, so that what is to be reported of it is there when they are.
   */
  @Override
  public void close() throws IOException {
    try {
      if (thread != null) {
        if (!over().isDone()) {
          end(false);
        }
        service.reported();
        thread.join();
        directory.preserve(false);
        FailStop.disarm();
      }
      while (!parts.isEmpty()) {
        parts.pop().close();
      }
    } catch (final IOException e) {
      throw e;
    } catch (final Exception e) {
      throw new IOException(e);
    }
  }
}
