package org.sluice.core.store.disk;

import static org.sluice.core.store.format.ContainerDescriptor.BLOCK_LENGTH;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.AsyncWrites;
import org.sluice.core.posix.IoVector;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.format.ContainerDescriptor;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.model.ChunkLocation;

/**
 * A data file that takes chunks as they lie in memory, one after the other, past the page cache. A
 * single thread places and writes; any may {@link #sync()}.
 *
 * <p>The container has a descriptor of its own and not a file channel, for two reasons. The errno
 * of a failed write has to reach the writer of the image, and an interrupt closes a channel. While
 * it is open it holds the file's lock, so that no process discards it.
 */
public final class Container implements AutoCloseable {
  /** The number of chunks that may be placed before they are written. */
  public static final int MOST_PLACED = 64;

  private static final long PATIENCE_NANOS = 10_000_000_000L;
  private static final long NAP_NANOS = 1_000_000;

  private final long id;
  private final NativeFile file;
  private final LongConsumer closed;
  private final WriteMode mode;

  /** The writes that bring placed chunks to the file. */
  private final List<IoVector> writes = new ArrayList<>();

  /** The number of writes in use; the others are kept for later. */
  private int used;

  /** The bytes that were placed and are not written. */
  private long placed;

  private long end = BLOCK_LENGTH;

  /**
   * The writes that were started.
   *
   * @param ended failure of each write that has ended, null for success
   */
  public record Started(List<AsyncWrites.Write> going, List<IOException> ended) {
    /** Returns whether {@link #await} would not wait for the disk. */
    public boolean hasEnded() {
      return going.stream().allMatch(AsyncWrites.Write::hasEnded);
    }

    public void await() throws IOException {
      final List<IOException> failures = new ArrayList<>(ended);
      failures.addAll(WritesInFlight.ends(going));
      for (final IOException failure : failures) {
        if (failure != null) {
          throw failure;
        }
      }
    }
  }

  private Container(
      final long id, final NativeFile file, final WriteMode mode, final LongConsumer closed) {
    this.id = id;
    this.file = file;
    this.mode = mode;
    this.closed = closed;
  }

  public static Container create(
      final Path path,
      final long id,
      final long sessionId,
      final String node,
      final Disk disk,
      final WriteMode mode,
      final LongConsumer closed)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment header = header(arena, id, sessionId, node);
      final NativeFile file = createWith(disk, path, mode, header.address());
      return new Container(id, file, mode, closed);
    }
  }

  /**
   * Opens the container of a killed I/O process. The process may still be dying: files are closed
   * one after the other.
   */
  public static Container resume(final Path path, final long id, final LongConsumer closed)
      throws IOException {
    final NativeFile file = inRole(StoredFile.open(path, Flag.WRITE));
    final long end = System.nanoTime() + PATIENCE_NANOS;
    while (!file.tryLock()) {
      if (System.nanoTime() - end > 0) {
        file.close();
        throw new PosixException("lock " + path, Errno.EBUSY);
      }
      LockSupport.parkNanos(NAP_NANOS);
    }
    return new Container(id, file, WriteMode.LOCAL, closed);
  }

  /** Some file systems refuse to open past the page cache, others only to write so. */
  private static NativeFile createWith(
      final Disk disk, final Path path, final WriteMode mode, final long header)
      throws IOException {
    if (!mode.direct()) {
      return begin(disk, header, disk.open(path, Flag.WRITE, Flag.CREATE));
    }
    try {
      return begin(disk, header, disk.open(path, Flag.WRITE, Flag.CREATE, Flag.DIRECT));
    } catch (final PosixException e) {
      e.throwUnless(Errno.EINVAL);
      return begin(disk, header, disk.open(path, Flag.WRITE, Flag.CREATE));
    }
  }

  private static NativeFile inRole(final NativeFile file) {
    return file.role(FaultPoint.CONTAINER_WRITE, FaultPoint.CONTAINER_FSYNC);
  }

  private static NativeFile begin(final Disk disk, final long header, final NativeFile file)
      throws IOException {
    try {
      file.role(FaultPoint.CONTAINER_HEADER, null).lock();
      file.pwrite(header, BLOCK_LENGTH, 0);
      return inRole(file);
    } catch (final PosixException e) {
      file.close();
      disk.delete(Path.of(file.opened()), null);
      throw e;
    }
  }

  private static MemorySegment header(
      final Arena arena, final long id, final long sessionId, final String node) {
    final MemorySegment memory = arena.allocate(BLOCK_LENGTH, BLOCK_LENGTH);
    final UnsafeBuffer header = new UnsafeBuffer(memory.address(), BLOCK_LENGTH);
    final byte[] name = node.getBytes(StandardCharsets.UTF_8);
    final byte[] shortName =
        Arrays.copyOf(name, Math.min(name.length, ContainerDescriptor.MAX_NODE_LENGTH));
    header.putLong(ContainerDescriptor.MAGIC_OFFSET, ContainerDescriptor.MAGIC);
    header.putInt(ContainerDescriptor.VERSION_OFFSET, ContainerDescriptor.VERSION);
    header.putLong(ContainerDescriptor.CONTAINER_ID_OFFSET, id);
    header.putLong(ContainerDescriptor.SESSION_ID_OFFSET, sessionId);
    header.putLong(ContainerDescriptor.CREATED_OFFSET, System.currentTimeMillis());
    header.putInt(ContainerDescriptor.NODE_OFFSET, shortName.length);
    header.putBytes(ContainerDescriptor.NODE_OFFSET + Integer.BYTES, shortName);
    header.putInt(ContainerDescriptor.CRC_OFFSET, Crc32c.of(header, 0, BLOCK_LENGTH));
    return memory;
  }

  /** Returns the id, unique among all containers and not 0. */
  public long id() {
    return id;
  }

  /** Returns the way in which the container is written to, for all its life. */
  public WriteMode mode() {
    return mode;
  }

  /**
   * Gives a chunk its place after the others. The method fills in the fields of the chunk's header
   * that belong to the I/O process. The bytes of the chunk from {@code used} up to the next
   * multiple of 4096 are zeroed. No other thread may change the chunk until it is written.
   *
   * @param chunk memory outside the heap, at a multiple of 4096
   * @param used the chunk's used length, its header included, checked by the caller
   * @param crc the crc of its records, as they were when the caller checked them
   * @throws IndexOutOfBoundsException when {@link #MOST_PLACED} are waiting to be written
   */
  public ChunkLocation place(final UnsafeBuffer chunk, final int used, final int crc) {
    final int length = BitUtil.align(used, BLOCK_LENGTH);
    final long position = end + placed;
    chunk.setMemory(used, length - used, (byte) 0);
    chunk.putInt(ChunkDescriptor.CRC_OFFSET, crc);
    chunk.putLong(ChunkDescriptor.CONTAINER_ID_OFFSET, id);
    chunk.putLong(ChunkDescriptor.POSITION_OFFSET, position);
    chunk.putInt(
        ChunkDescriptor.HEADER_CRC_OFFSET, Crc32c.of(chunk, 0, ChunkDescriptor.HEADER_CRC_OFFSET));
    chunk.putInt(ChunkDescriptor.HEADER_CRC_OFFSET + Integer.BYTES, 0);
    lastWrite().add(chunk.addressOffset(), length);
    placed += length;
    return new ChunkLocation(id, position, used, crc);
  }

  private IoVector lastWrite() {
    if (used == 0 || writes.get(used - 1).length() >= mode.length()) {
      if (used == writes.size()) {
        writes.add(new IoVector(MOST_PLACED));
      }
      used++;
    }
    return writes.get(used - 1);
  }

  /**
   * Writes the placed chunks, in few large writes.
   *
   * @throws IOException when a write fails; the places of all of these stay unused then
   */
  public void write(final WritesInFlight flight) throws IOException {
    start(flight).await();
  }

  /**
   * Starts to write the placed chunks, in few large writes. On a disk of this node the writes go on
   * without a thread. So the disk has a write to do while the next one is prepared.
   *
   * @return writes to wait for; where one fails the places of all of these stay unused
   */
  public Started start(final WritesInFlight flight) {
    final List<IoVector> starting = writes.subList(0, used);
    final long from = end;
    end += placed;
    used = 0;
    placed = 0;
    return mode.equals(WriteMode.LOCAL)
        ? startAhead(starting, from, flight)
        : startAtOnce(starting, from, flight);
  }

  private Started startAhead(
      final List<IoVector> starting, final long from, final WritesInFlight flight) {
    final List<AsyncWrites.Write> started = new ArrayList<>();
    long offset = from;
    for (final IoVector write : starting) {
      final long length = write.length();
      started.add(flight.start(file, write, offset));
      offset += length;
    }
    starting.clear(); // the memory belongs to the writes until their end
    return new Started(started, List.of());
  }

  private Started startAtOnce(
      final List<IoVector> starting, final long from, final WritesInFlight flight) {
    final List<Step<IOException>> steps = new ArrayList<>();
    long offset = from;
    for (final IoVector write : starting) {
      final long at = offset;
      offset += write.length();
      steps.add(mode.direct() ? () -> file.pwrite(write, at) : () -> file.pwritePast(write, at));
    }
    return new Started(List.of(), flight.failures(steps));
  }

  public void sync() throws IOException {
    file.sync();
  }

  /** Returns whether a sync has failed, so that chunks of the container may be lost. Any thread. */
  public boolean isLost() {
    return file.isLost();
  }

  @Override
  public void close() throws IOException {
    closed.accept(id);
    file.close();
  }
}
