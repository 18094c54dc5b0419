package org.sluice.core.client;

import static java.nio.file.StandardOpenOption.READ;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;

/**
 * Writes and reads checkpoints of a Java program through the node's I/O process.
 *
 * <pre>{@code
 * try (CheckpointClient client = CheckpointClient.connect(rank, ranks)) {
 *   Checkpoint checkpoint = client.begin(7);
 *   try (ImageChannel image = checkpoint.image("state")) {
 *     image.write(buffer);
 *   }
 *   checkpoint.complete();
 *   if (!checkpoint.awaitDurable(Duration.ofMinutes(1))) {
 *     System.err.println("checkpoint 7: not on storage after a minute");
 *   }
 * } catch (IOException e) {
 *   System.err.println("checkpoint 7: " + e.getMessage());
 * }
 * }</pre>
 *
 * <p>Thread-safe. As with every NIO channel, interrupting a thread inside a call closes what it
 * waits on; a client whose connection was closed that way is of no further use.
 */
public final class CheckpointClient implements AutoCloseable {
  /** Environment variable that names the runtime directory of the node's I/O process. */
  public static final String DIRECTORY_VARIABLE = "SLUICE_DIRECTORY";

  /** Asks {@link #restart} for the newest committed checkpoint. */
  public static final long NEWEST = -1;

  private final Attachment attachment;
  private final int rank;
  private final int ranks;
  private final List<Checkpoint> checkpoints = new ArrayList<>();
  private boolean closed;

  private CheckpointClient(final Attachment attachment, final int rank, final int ranks) {
    this.attachment = attachment;
    this.rank = rank;
    this.ranks = ranks;
  }

  /**
   * Attaches this process to the I/O process that {@link #DIRECTORY_VARIABLE} names.
   *
   * @param rank this process's rank, from 0
   * @param ranks how many ranks the job has
   * @return the client
   * @throws IOException when the variable is not set, or as {@link #connect(Path, int, int)}
   */
  public static CheckpointClient connect(final int rank, final int ranks) throws IOException {
    final String directory = System.getenv(DIRECTORY_VARIABLE);
    if (directory == null || directory.isEmpty()) {
      throw new IOException(
          "no I/O process: %s is not set; run under `sluice run`".formatted(DIRECTORY_VARIABLE));
    }
    return connect(Path.of(directory), rank, ranks);
  }

  /**
   * Attaches this process to an I/O process.
   *
   * @param directory the I/O process's runtime directory
   * @param rank this process's rank, from 0
   * @param ranks how many ranks the job has
   * @return the client
   * @throws org.sluice.core.segment.SegmentException when the segment is of another version of the
   *     format, or none at all
   * @throws IOException when no I/O process answers, or it has no slot left
   */
  public static CheckpointClient connect(final Path directory, final int rank, final int ranks)
      throws IOException {
    if (rank < 0 || rank >= ranks) {
      throw new IllegalArgumentException("no such rank: %d of %d".formatted(rank, ranks));
    }
    return new CheckpointClient(Attachment.open(directory, rank, ranks), rank, ranks);
  }

  /**
   * Begins a checkpoint, or joins the other ranks in it. A number committed before is superseded
   * when this one is committed.
   *
   * @param number the checkpoint's number, at least 0; the same on all ranks
   * @return this rank's part of it
   * @throws IOException when the I/O process refuses or is gone
   */
  public synchronized Checkpoint begin(final long number) throws IOException {
    attachment.connection().call(new Request.Begin(number, ranks));
    final Checkpoint checkpoint = new Checkpoint(attachment, number, rank, ranks);
    checkpoints.removeIf(Checkpoint::isComplete);
    checkpoints.add(checkpoint);
    return checkpoint;
  }

  /**
   * The committed checkpoints.
   *
   * @return their numbers, in the order of their commits, newest last
   * @throws IOException when the I/O process refuses or is gone
   */
  public List<Long> checkpoints() throws IOException {
    final Reply reply = attachment.connection().call(new Request.ListCheckpoints());
    return ((Reply.Checkpoints) reply).checkpoints();
  }

  /**
   * Opens an image that this rank wrote to a committed checkpoint.
   *
   * @param checkpoint the checkpoint's number, or {@link #NEWEST}
   * @param name the image's name
   * @return a rebuilt and verified copy, read-only, gone when closed
   * @throws IOException when there is no such image, or it is damaged
   */
  public SeekableByteChannel restart(final long checkpoint, final String name) throws IOException {
    final Reply reply = attachment.connection().call(new Request.Restart(checkpoint, rank, name));
    final Path copy = Path.of(((Reply.Text) reply).text());
    try {
      return FileChannel.open(copy, READ);
    } finally {
      Files.delete(copy);
    }
  }

  /**
   * Closes all images and gives the slot back. Checkpoints that this rank has not completed are not
   * committed. Closing again does nothing.
   *
   * @throws IOException when storage failed so far, or the I/O process is gone
   */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (attachment) {
      for (final Checkpoint checkpoint : checkpoints) {
        checkpoint.closeImages();
      }
    }
  }
}
