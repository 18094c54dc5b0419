package org.sluice.iop.session;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.sluice.bridge.NativeLibraries;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.Names;
import org.sluice.core.process.NativeThread;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentSettings;
import org.sluice.core.store.model.Keeping;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.checkpoint.PathPattern;
import org.sluice.iop.checkpoint.SessionSettings;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.outside.Guard;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.service.SessionState;

/**
 * Checkpoints that nobody asked for, so that the JVM has loaded and compiled what the first
 * checkpoints of the real one run: most runs make no more than a dozen. A shell under the shim
 * writes them. It begins with the first rank of an MPI program: beside any other one it would take
 * more than it brings. A session of its own has them: it shares nothing with the real one. Its
 * segment, store and files lie in the runtime directory, and its threads get what processor time is
 * left over.
 */
final class WarmUp implements AutoCloseable {
  private static final int NICE = 19;

  private static final long NO_SMALL_FILES = 0;
  private static final int CHUNK_LENGTH = 16384;
  private static final Geometry GEOMETRY = new Geometry(4, 256, 64, CHUNK_LENGTH);
  private static final Pattern NUMBER = Pattern.compile("([0-9]+)-");
  private static final int FILES = 4;
  private static final Keeping KEPT = Keeping.WAVES;
  private static final SessionSettings SETTINGS =
      new SessionSettings(
          "warm-up",
          "",
          new Grouping(new PathPattern(NUMBER), null, 1, FILES),
          null,
          1,
          KEPT,
          Duration.ofMinutes(1),
          false,
          Duration.ZERO);

  /**
   * What {@code printf} writes at once is longer than a chunk, in each fourth; else all is logged.
   */
  private static final String CHECKPOINTS =
      "for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do for file in 1 2 3 4; do"
          + " printf %$((20000 - n % 4 * 5000))s x >$n-$file; done; done";

  private final Path directory;
  private final int layout;
  private final Thread thread;

  private final CompletableFuture<Void> wanted;
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();

  /** Null before it has begun. Guarded by this, and so is that it begins after it was stopped. */
  private Process writer;

  /**
   * Waits until it is wanted.
   *
   * @param directory for it alone; is made and removed
   * @param layout of the real session
   * @param wanted when to begin
   */
  WarmUp(final Path directory, final int layout, final CompletableFuture<Void> wanted) {
    this.directory = directory;
    this.layout = layout;
    this.wanted = wanted;
    thread = Thread.ofPlatform().daemon().name("warm-up").start(this::run);
  }

  /** Without it all works, only later; so nobody is told of what may go wrong. */
  private void run() {
    Warnings.mute();
    try {
      CompletableFuture.anyOf(wanted, stopped).join();
      if (stopped.isDone()) {
        return;
      }
      NativeThread.current().schedule(true, NICE, 0); // and that of all threads that it begins
      serve(Files.createDirectories(directory.resolve("files")).toRealPath());
      for (final Path path : Names.deepestFirst(directory)) {
        Files.delete(path);
      }
    } catch (final IOException | UncheckedIOException e) {
      Warnings.warn("nothing could be tried: " + e.getMessage());
    }
  }

  private void serve(final Path capture) throws IOException {
    final boolean inPlace = layout == HeaderDescriptor.LAYOUT_FILES;
    final long session = Entropy.nextLong();
    try (PosixStore store = PosixStore.create(directory.resolve("store"));
        Segment segment = segment(session, store, capture);
        Journal journal =
            Journal.create(directory.resolve("journal"), session, () -> new SessionState(inPlace));
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(directory.resolve("socket")));
      final Service service =
          new Service(
              server,
              segment,
              store,
              Publisher.ofNode(store),
              SETTINGS,
              new Statistics(
                  GEOMETRY.chunkCount() * (long) CHUNK_LENGTH,
                  () -> "small",
                  segment.header(),
                  store.profile()::mode),
              journal,
              new SessionState(inPlace),
              new Guard(null),
              (used, processes) -> {});
      segment.header().process(ProcessIdentity.current());
      final Thread writing =
          Thread.ofPlatform().daemon().name("warm-up").start(() -> write(capture, service));
      service.run();
      writing.interrupt();
    }
  }

  private Segment segment(final long session, final PosixStore store, final Path capture)
      throws IOException {
    final Segment segment =
        Segment.reserve(
            directory.resolve("segment"),
            GEOMETRY,
            new SegmentSettings(
                session,
                layout,
                Long.MAX_VALUE,
                HeaderDescriptor.POLICY_FIXED,
                HeaderDescriptor.WHEN_FULL_WAIT,
                NO_SMALL_FILES,
                store.directory().toString(),
                capture.toString()));
    for (int chunk = 0; chunk < GEOMETRY.chunkCount(); chunk++) {
      segment.provide(chunk);
    }
    return segment;
  }

  private void write(final Path capture, final Service service) {
    try {
      final Process process = begin(capture);
      if (process != null) {
        process.waitFor();
      }
    } catch (final IOException e) {
      Warnings.warn("nothing could be written: " + e.getMessage());
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt(); // the service has ended by itself
    }
    service.end(true);
    service.reported();
  }

  /** Begins to write; null when that is not wanted any more. */
  private synchronized Process begin(final Path capture) throws IOException {
    if (!stopped.isDone()) {
      final ProcessBuilder shell = new ProcessBuilder("/bin/sh", "-c", CHECKPOINTS);
      shell.directory(capture.toFile());
      shell.environment().clear();
      shell
          .environment()
          .putAll(
              Map.of(
                  "LD_PRELOAD",
                  NativeLibraries.preload().toString(),
                  "SLUICE_DIRECTORY",
                  directory.toString(),
                  "SLUICE_CAPTURE",
                  capture.toString(),
                  "SLUICE_RANK",
                  "0",
                  "SLUICE_RANKS",
                  "1",
                  "SLUICE_PATIENCE",
                  "1"));
      writer =
          shell
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    }
    return writer;
  }

  /**
   * Has it end, wherever it is. No process is being started when this returns: one that is has the
   * real session's containers open, with their locks.
   */
  synchronized void stop() {
    stopped.complete(null);
    if (writer != null) {
      writer.destroyForcibly();
    }
  }

  /** Ends it and waits for that. */
  @Override
  public void close() {
    stop();
    try {
      thread.join();
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
