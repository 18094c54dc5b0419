package org.sluice.iop.session;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.agrona.CloseHelper;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentSettings;
import org.sluice.core.segment.TestSegments;
import org.sluice.core.segment.WriteRules;
import org.sluice.core.store.model.Keeping;
import org.sluice.core.store.node.LoggedDisk;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.checkpoint.CheckpointSettings;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.checkpoint.PathPattern;
import org.sluice.iop.checkpoint.SessionSettings;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.outside.Guard;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.service.SessionState;

/** An I/O process inside this one, with every stage, whose store is on a logged disk. */
final class LoggedIoProcess implements AutoCloseable {
  static final Keeping KEPT = new Keeping(2, 2, true);
  static final int THRESHOLD = 3000;
  private static final Pattern GROUP = Pattern.compile("ckpt-(\\d+)");
  private static final Geometry GEOMETRY = new Geometry(4, 64, 8, 8192);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final Path directory;
  private final Path capture;
  private final Service service;

  /** The Disruptor asserts that one thread alone publishes, from the beginning. */
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  private final CompletableFuture<Void> running;

  /**
   * Begins a session.
   *
   * @param directory where clients are to find it; is made
   * @param session its id
   */
  LoggedIoProcess(
      final LoggedDisk disk, final Path directory, final long session, final Layout layout)
      throws IOException {
    this.directory = Files.createDirectory(directory);
    this.capture = Files.createDirectory(directory.resolve("capture")).toRealPath();
    final PosixStore store = keep(disk.createStore());
    final SegmentSettings settings =
        new SegmentSettings(
            session,
            layout,
            new WriteRules(
                THRESHOLD, HeaderDescriptor.POLICY_FIXED, HeaderDescriptor.WHEN_FULL_WAIT, 0),
            store.directory().toString(),
            capture.toString());
    final Segment segment =
        keep(TestSegments.create(directory.resolve("segment"), GEOMETRY, settings));
    final Journal journal =
        keep(Journal.create(directory.resolve("journal"), session, () -> new SessionState(layout)));
    final ServerSocketChannel server = keep(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
    server.bind(UnixDomainSocketAddress.of(directory.resolve("socket")));
    final SessionSettings how =
        new SessionSettings(
            "job",
            "",
            new CheckpointSettings(
                new Grouping(new PathPattern(GROUP), null, 1, 1),
                Optional.empty(),
                0,
                KEPT,
                Duration.ofMinutes(1)),
            false,
            Duration.ZERO);
    final Statistics statistics =
        new Statistics(
            GEOMETRY.chunkCount() * (long) GEOMETRY.chunkLength(),
            () -> "small",
            segment.header(),
            store.profile()::mode);
    try {
      service =
          thread.submit(() -> service(server, segment, store, how, statistics, journal)).get();
    } catch (final ExecutionException | InterruptedException e) {
      throw new IOException(e);
    }
    segment.header().process(ProcessIdentity.current());
    running = CompletableFuture.runAsync(service, thread);
  }

  private static Service service(
      final ServerSocketChannel server,
      final Segment segment,
      final PosixStore store,
      final SessionSettings settings,
      final Statistics statistics,
      final Journal journal)
      throws IOException {
    final Inbox inbox = new Inbox();
    final Session session =
        new Session(
            segment,
            new SessionStore(store, Publisher.ofNode(store)),
            settings,
            statistics,
            new SessionJournal(new SessionState(segment.header().layout()), journal),
            new Guard(null),
            inbox);
    return new Service(
        server, segment, inbox, session, statistics, journal.inFlight(), (used, processes) -> {});
  }

  private <T extends AutoCloseable> T keep(final T part) {
    parts.push(part);
    return part;
  }

  Path directory() {
    return directory;
  }

  /** Where a file called {@code ckpt-N} is checkpoint N. */
  Path capture() {
    return capture;
  }

  /** Ends the session, when all clients have left. */
  @Override
  public void close() {
    service.end(false);
    service.over().join();
    service.reported();
    running.join();
    thread.close();
    CloseHelper.closeAll(parts);
  }
}
