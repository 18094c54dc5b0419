package org.sluice.core.client;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.sluice.core.posix.Entropy;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentException;

/** This process's place at an I/O process: the segment, the socket and the log. Thread-safe. */
final class Attachment implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final long NAP_NANOS = 5_000_000;

  private final Segment segment;
  private final Connection connection;
  private final ChunkWriter writer;

  private Attachment(final Segment segment, final Connection connection, final ChunkWriter writer) {
    this.segment = segment;
    this.connection = connection;
    this.writer = writer;
  }

  /** Waits for an I/O process that was killed, as somebody may be about to resume it. */
  static Attachment open(final Path directory, final int rank, final int ranks) throws IOException {
    final long end = System.nanoTime() + Connection.patience().toNanos();
    final long token = Entropy.nextLong();
    while (true) {
      try {
        return tryOpen(directory, rank, ranks, token);
      } catch (final SegmentException | RequestFailedException e) {
        throw e;
      } catch (final IOException e) {
        if (!mayComeBack(directory) || System.nanoTime() - end > 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(NAP_NANOS);
    }
  }

  /** One that ends removes its journal; one that is killed leaves it to who resumes it. */
  private static boolean mayComeBack(final Path directory) {
    return Files.exists(directory.resolve("journal")) && !Thread.currentThread().isInterrupted();
  }

  private static Attachment tryOpen(
      final Path directory, final int rank, final int ranks, final long token) throws IOException {
    final Segment segment = map(directory);
    Connection connection = null;
    try {
      connection = Connection.open(directory.resolve("socket"));
      final int slot = attach(directory, segment, connection, rank, ranks, token);
      final long session = segment.header().sessionId();
      final long generation = segment.slot(slot).generation();
      final ChunkWriter writer =
          new ChunkWriter(segment, slot, rank, doorbell(connection), PATIENCE);
      final ProcessIdentity self = ProcessIdentity.current();
      connection.greetWith(
          answered ->
              new Request.Resume(HeaderDescriptor.VERSION, slot, session, generation, answered),
          () -> writer.hold().isValid() && ProcessIdentity.current().equals(self));
      return new Attachment(segment, connection, writer);
    } catch (final IOException e) {
      if (connection != null) {
        connection.close();
      }
      segment.close();
      throw e;
    }
  }

  /** The message of a missing file is no more than its name. */
  private static Segment map(final Path directory) throws IOException {
    try {
      return Segment.map(directory.resolve("segment"));
    } catch (final NoSuchFileException e) {
      throw new IOException(
          "no I/O process runs in %s; start one, or run under `sluice run`".formatted(directory),
          e);
    } catch (final AccessDeniedException e) {
      throw new IOException(
          "the I/O process in %s is another user's; start one of your own".formatted(directory), e);
    }
  }

  private static Doorbell doorbell(final Connection connection) {
    return new Doorbell() {
      @Override
      public void ring() throws IOException {
        connection.tellWhoListens(new Request.Wake());
      }

      @Override
      public void ringUntilHeard() throws IOException {
        connection.tell(new Request.Wake());
      }
    };
  }

  private static int attach(
      final Path directory,
      final Segment segment,
      final Connection connection,
      final int rank,
      final int ranks,
      final long token)
      throws IOException {
    final ProcessIdentity self = ProcessIdentity.current();
    final Request request =
        new Request.Attach(
            HeaderDescriptor.VERSION,
            self.pid(),
            rank,
            ranks,
            self.startTime(),
            token,
            new Launcher(System.getenv()).localRanks(ranks));
    final Reply.Attached attached = (Reply.Attached) connection.call(request);
    if (attached.sessionId() != segment.header().sessionId()) {
      throw new IOException(
          "the I/O process was replaced meanwhile: %s; try again".formatted(directory));
    }
    return attached.slot();
  }

  Segment segment() {
    return segment;
  }

  Connection connection() {
    return connection;
  }

  ChunkWriter writer() {
    return writer;
  }

  /** Publishes what is open and gives the slot back; nobody may write any more. */
  @Override
  public void close() throws IOException {
    try (segment;
        connection) {
      writer.publish();
      writer.hold().leave();
    }
  }
}
