package org.sluice.client;

import static java.nio.file.StandardOpenOption.READ;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.FileName;

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
 * <p>Thread-safe. An interrupt ends no call and closes nothing; the thread finds itself interrupted
 * afterwards.
 */
public final class CheckpointClient implements AutoCloseable {
  /** The number that asks {@link #restart} for the newest committed checkpoint. */
  public static final long NEWEST = -1;

  /** The bytes of the longest name, and of the 0 behind it. */
  private static final int NAME_LENGTH = 101;

  private final LibrarySession session;
  private final List<Checkpoint> checkpoints = new ArrayList<>();

  private CheckpointClient(final LibrarySession session) {
    this.session = session;
  }

  /**
   * Attaches this process to the I/O process that the environment's {@code SLUICE_DIRECTORY} names.
   *
   * @param rank this process's rank, from 0
   * @param ranks number of ranks of the job
   * @return the client
   * @throws IOException when the variable is not set, or as {@link #connect(Path, int, int)}
   */
  public static CheckpointClient connect(final int rank, final int ranks) throws IOException {
    return connect(null, rank, ranks);
  }

  /**
   * Attaches this process to an I/O process.
   *
   * @param directory the I/O process's runtime directory
   * @param rank this process's rank, from 0
   * @param ranks number of ranks of the job
   * @return the client
   * @throws IOException when no I/O process answers, or is of another release, or has no slot left,
   *     or the native library is missing
   */
  public static CheckpointClient connect(final Path directory, final int rank, final int ranks)
      throws IOException {
    if (rank < 0 || rank >= ranks) {
      throw new IllegalArgumentException("no such rank: %d of %d".formatted(rank, ranks));
    }
    return new CheckpointClient(LibrarySession.open(directory, rank, ranks));
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
    session.call(LibSluice.CHECKPOINT_BEGIN, number);
    final Checkpoint checkpoint = new Checkpoint(session, number);
    checkpoints.removeIf(Checkpoint::isComplete);
    checkpoints.add(checkpoint);
    return checkpoint;
  }

  /**
   * Returns the committed checkpoints.
   *
   * @return the numbers of the checkpoints, in the order of their commits, newest last
   * @throws IOException when the I/O process refuses or is gone
   */
  public List<Long> checkpoints() throws IOException {
    final int capacity = session.call(LibSluice.CHECKPOINT_LIST);
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment numbers = arena.allocate(ValueLayout.JAVA_LONG, capacity);
      final int count = session.call(LibSluice.CHECKPOINT_LIST, numbers.address(), capacity);
      return Arrays.stream(numbers.toArray(ValueLayout.JAVA_LONG)).limit(count).boxed().toList();
    }
  }

  /**
   * Returns the checkpoint that was committed last.
   *
   * @return its number; empty for none
   * @throws IOException when the I/O process refuses or is gone
   */
  public OptionalLong newest() throws IOException {
    final List<Long> all = checkpoints();
    return all.isEmpty() ? OptionalLong.empty() : OptionalLong.of(all.getLast());
  }

  /**
   * Finds a checkpoint by its name.
   *
   * @param name the name that a rank gave it
   * @return its number, of several that of the one committed last; empty for none
   * @throws IOException when the I/O process is gone, or the store cannot be read
   */
  public OptionalLong find(final String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment number = arena.allocate(ValueLayout.JAVA_LONG);
      session.call(LibSluice.CHECKPOINT_FIND, FileName.inC(arena, name), number.address());
      return OptionalLong.of(number.get(ValueLayout.JAVA_LONG, 0));
    } catch (final CheckpointException e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
      return OptionalLong.empty();
    }
  }

  /**
   * Returns the name of a committed checkpoint.
   *
   * @param checkpoint the checkpoint's number, or {@link #NEWEST}
   * @return its name; empty where it has none
   * @throws IOException when there is no such checkpoint
   */
  public Optional<String> nameOf(final long checkpoint) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment name = arena.allocate(NAME_LENGTH);
      session.call(LibSluice.CHECKPOINT_NAME_OF, checkpoint, name.address());
      return Optional.of(name.getString(0)).filter(text -> !text.isEmpty());
    }
  }

  /**
   * Restores all files of a committed checkpoint, or of this node's part of it. Every byte is
   * verified. A file that is there already as it was committed stays; another one is refused, and
   * then nothing is restored.
   *
   * @param checkpoint the checkpoint's number, or {@link #NEWEST}
   * @param directory where the files go; made if missing
   * @throws IOException when there is no such checkpoint, or it is damaged, or a file is in the way
   */
  public void restore(final long checkpoint, final Path directory) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      final String path = directory.toAbsolutePath().toString();
      session.call(LibSluice.CHECKPOINT_RESTORE, checkpoint, FileName.inC(arena, path));
    }
  }

  /**
   * Opens an image that this rank wrote to a committed checkpoint.
   *
   * @param checkpoint the checkpoint's number, or {@link #NEWEST}
   * @param name the image's name, see {@link FileName}
   * @return a rebuilt and verified copy, read-only, gone when closed
   * @throws IOException when there is no such image, or it is damaged
   */
  public SeekableByteChannel restart(final long checkpoint, final String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      final long bytes = FileName.inC(arena, name);
      final int descriptor = session.call(LibSluice.IMAGE_RESTART, checkpoint, bytes);
      try {
        return FileChannel.open(Path.of("/proc/self/fd/" + descriptor), READ);
      } finally {
        LibSluice.closeDescriptor(descriptor);
      }
    }
  }

  /**
   * Closes all images and gives the slot back. Checkpoints that this rank has not completed are not
   * committed. Closing again does nothing.
   *
   * @throws IOException when storage failed so far, or the I/O process is gone
   */
  @Override
  public void close() throws IOException {
    final long left = session.leave();
    if (left == 0) {
      return;
    }
    final int result;
    try {
      closeImages();
    } finally {
      result = LibSluice.closeSession(left);
    }
    if (result < 0) {
      throw CheckpointException.of("", result);
    }
  }

  private synchronized void closeImages() throws IOException {
    for (final Checkpoint checkpoint : checkpoints) {
      checkpoint.closeImages();
    }
  }
}
