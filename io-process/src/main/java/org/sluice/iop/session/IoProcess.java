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
import org.sluice.core.segment.WriteRules;
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
import org.sluice.iop.memory.ChunkMemory;
import org.sluice.iop.memory.MemoryLimit;
import org.sluice.iop.memory.Pages;
import org.sluice.iop.memory.Provision;
import org.sluice.iop.memory.SegmentPlace;
import org.sluice.iop.outside.Guard;
import org.sluice.iop.outside.GuardPlace;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.publish.Uploads;
import org.sluice.iop.service.SessionState;
import org.sluice.iop.wave.WaveFiles;

/**
 * An I/O process inside this Java process: runtime directory, store, segment and service thread.
 */
public final class IoProcess implements AutoCloseable {
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
   * Starts an I/O process, or resumes a killed one. Clients can attach when this returns.
   *
   * @param resumes whether to resume the killed I/O process of that name, with its store and
   *     buffer, even if none of its processes lives
   */
  public IoProcess(final Settings settings, final boolean resumes) throws IOException {
    final Stops stops = Stops.heed();
    boolean goesOn = false;
    try {
      directory = keep(RuntimeDirectory.take(settings.session().name()));
      directory.others().removeStarts();
      directory.others().removeDeadRuns();
      if (WaveFiles.areOfAJob() && settings.store().stage().isEmpty()) {
        directory.others().removeJobs(settings.store().directory().toAbsolutePath().normalize());
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
                directory.path(),
                settings.buffer().pages(),
                settings.buffer().geometry().segmentLength());
        segment = keep(createSegment(place.file(), settings, job));
        states = states(segment);
        state = states.get();
        journal = keep(Journal.create(directory.journal(), segment.header().sessionId(), states));
        pages = pages(place, segment, settings.buffer().pages());
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
        forecast(opened, commits, settings.session().checkpoints().keep());
      }
      profile = store.profile();
      measured = knows(profile, state.checkpoints().images().layout());
      statistics =
          new Statistics(
              segment.geometry().buffer(), pages, segment.header(), store.profile()::mode);
      final ServerSocketChannel server = keep(directory.listen());
      Fault.arm(
          settings.faults()); // the segment and the store are there: from here on it is the session
      guard = starting.join();
      provision =
          new Provision(
              segment.geometry().chunkCount(),
              new ChunkMemory(segment),
              new MemoryLimit(segment.geometry().chunkLength()));
      final Inbox inbox = new Inbox();
      final Session session =
          new Session(
              segment,
              opened,
              grouped ? settings.session() : settings.session().ungrouped(),
              statistics,
              new SessionJournal(state, journal),
              guard,
              inbox);
      service =
          new Service(
              server, segment, inbox, session, statistics, journal.inFlight(), provision::look);
      if (publisher.hasNodes()) { // from the end of the program on a log keeps jobs apart
        service.ending().thenRun(job::leave);
      }
      segment.header().process(ProcessIdentity.current());
      stops.pass(() -> directory.preserve(true), signal -> service.stop(signal.equals("INT")));
    } catch (final IOException | CommandException e) {
      if (!goesOn) { // otherwise another I/O process may resume the session, and the drain is at
        // work
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

  /**
   * Warns of a store too small for the checkpoints to keep. In a job on several nodes the node
   * warns that began the run.
   */
  private static void forecast(
      final SessionStore opened, final List<Commit> commits, final Keeping keep)
      throws IOException {
    final List<Commit> all = opened.publisher().newestBefore(commits);
    final long there = opened.publisher().countBefore(commits);
    Capacity.of(opened.root(), all)
        .flatMap(capacity -> capacity.lack(keep.most(), keep.countsEarlier() ? there : 0))
        .ifPresent(Warnings::warn);
  }

  /**
   * Returns whether the profile of the store is known. Files on storage of other nodes are not
   * measured: one writer at a time gets into a container, and so into the measurement.
   */
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

  /** Measures the store. Without a measurement the store is written to like a disk of this node. */
  private void measure() {
    try {
      profile.measure();
    } catch (final IOException e) {
      Warnings.warn("cannot find out how to write to the store best: " + e.getMessage());
    }
  }

  /**
   * Starts the guard in the background. Its process takes as long to start as the rest of this
   * start.
   */
  private CompletableFuture<Guard> startGuard(final GuardPlace place) {
    final CompletableFuture<Guard> starting =
        CompletableFuture.supplyAsync(
            () -> new Guard(place), start -> Thread.ofPlatform().name("start guard").start(start));
    keep(() -> starting.join().close());
    return starting;
  }

  /** Returns the guard's place; null when nothing is captured, and so nothing to guard. */
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
    final BufferSettings buffer = settings.buffer();
    final boolean fixed = buffer.threshold().isPresent();
    final SegmentSettings header =
        new SegmentSettings(
            Entropy.nextLong(),
            settings.layout(),
            new WriteRules(
                buffer.threshold().orElse(Long.MAX_VALUE),
                fixed ? HeaderDescriptor.POLICY_FIXED : HeaderDescriptor.POLICY_AUTO,
                buffer.whenFull(),
                small(settings, store)),
            store.toString(),
            settings.capture().orElse(""));
    try {
      final Segment reserved = Segment.reserve(file, buffer.geometry(), header);
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
   * Returns the size that a new file grows to before it is captured. In containers on storage of
   * other nodes each file that a commit has to synchronise costs much. Files in place are announced
   * by nobody while small, but a checkpoint may need them. So none is left to the kernel while
   * files are grouped, or may be.
   */
  private static long small(final Settings settings, final Path store) {
    final Grouping grouping = settings.session().checkpoints().grouping();
    final boolean told = settings.layout().tellsOfSmall();
    if (!told && grouping.exists()) {
      return grouping.isKnown() ? 0 : -settings.buffer().small();
    }
    final boolean far =
        settings
            .capture()
            .filter(path -> new CaptureDirectory(path, store.toString()).isShared())
            .isPresent();
    return far && told ? 0 : settings.buffer().small();
  }

  private static Supplier<SessionState> states(final Segment segment) {
    final Layout layout = segment.header().layout();
    return () -> new SessionState(layout);
  }

  /** Returns the runtime directory, where clients find the socket. */
  public Path directory() {
    return directory.path();
  }

  /** Returns the kind of the segment's pages, and a better kind if there is one, on one line. */
  public String pages() {
    return pages.get();
  }

  /**
   * Returns the report on the pages. The kernel takes milliseconds to count them, so they are
   * counted at once only when the count decides.
   */
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

  /** Returns the means by which programs outside Sluice are seen, on one line. */
  public String guard() {
    return guard.means();
  }

  public Segment segment() {
    return segment;
  }

  /** Returns a future completed when all bytes published by now are drained and committed. */
  public CompletableFuture<Void> drained() {
    return service.drained();
  }

  /** Returns whether checkpoints count where nodes commit together. */
  public boolean isOfSeveralNodes() {
    return publisher.awaitsNodes();
  }

  /** Returns the uploads of checkpoints from the stage. */
  public Uploads uploads() {
    return publisher.uploads();
  }

  /** Returns the checkpoints and files that are not committed, or not copied, a line each. */
  public CompletableFuture<List<String>> unfinished() {
    return service.unfinished();
  }

  public Statistics statistics() {
    return statistics;
  }

  /** Says that the process which started this I/O process is gone. */
  public void expectNobody() {
    service.expectNobody();
  }

  public void end(final boolean commits) {
    service.end(commits);
  }

  /**
   * Returns a future completed when the session begins to end, with whether the command succeeded.
   */
  public CompletableFuture<Boolean> ending() {
    return service.ending();
  }

  /** Returns a future completed when everything is drained and committed. */
  public CompletableFuture<Void> over() {
    return service.over();
  }

  /**
   * Ends the remaining parts; nothing is drained any more. Only then are the waiting processes told
   * that the session is over, so that its reports are there when they look.
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
