package org.sluice.core.segment;

import static java.nio.file.StandardOpenOption.READ;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Objects;
import net.openhft.chronicle.bytes.MappedBytes;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.MappedMemory;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.core.posix.Room;
import org.sluice.core.segment.SegmentException.Reason;

/**
 * The mapped segment: one file of shared memory, laid out as {@code docs/format.md} says.
 *
 * <p>The I/O process creates it and stores the header's version last, with release order. A client
 * waits for that version before it maps the file and loads it with acquire order afterwards, so it
 * sees the geometry and everything else that never changes. How the changing parts are shared is
 * argued where they are: {@link Header}, {@link Slot}, {@link ChunkPool}, {@link ImageTable}; rings
 * have one producer, the process attached to the slot, and one consumer, the I/O process.
 *
 * <p>Thread-safe, except that nobody may use a view after {@link #close}: the memory is gone then.
 */
public final class Segment implements AutoCloseable {
  private static final Duration PUBLICATION_TIMEOUT = Duration.ofSeconds(5);

  private final Path file;
  private final MappedBytes bytes;
  private final long address;
  private final Header header;
  private final Geometry geometry;
  private final ChunkPool chunkPool;
  private final ImageTable imageTable;

  private Segment(final Path file, final MappedBytes bytes, final Geometry geometry) {
    this.file = file;
    this.bytes = bytes;
    this.address = bytes.addressForRead(0);
    this.geometry = geometry;
    this.header = new Header(view(0, HeaderDescriptor.LENGTH));
    this.chunkPool =
        new ChunkPool(
            view(geometry.chunkStatesOffset(), geometry.chunkCount() * ChunkStateDescriptor.LENGTH),
            header,
            this::chunk);
    this.imageTable =
        new ImageTable(
            view(geometry.imagesOffset(), geometry.images() * ImageDescriptor.LENGTH), header);
  }

  /**
   * Creates a segment and publishes it, with all of its memory.
   *
   * @param file the file to create, mode 0600
   * @param geometry what the segment is to hold
   * @param settings what the header is to say
   * @return the mapped segment
   * @throws SegmentException when it does not fit, or on an unsupported platform
   * @throws IOException when the file exists or cannot be created
   */
  public static Segment create(
      final Path file, final Geometry geometry, final SegmentSettings settings) throws IOException {
    final Segment segment = reserve(file, geometry, settings);
    try {
      for (int chunk = 0; chunk < geometry.chunkCount(); chunk++) {
        segment.provide(chunk);
      }
      return segment;
    } catch (final IOException e) {
      segment.close();
      Files.delete(file);
      throw e;
    }
  }

  /**
   * Creates a segment and publishes it before its chunks have memory: a client that finds none free
   * waits for {@link #provide}, which is to be called for each.
   *
   * @param file the file to create, mode 0600
   * @param geometry what the segment is to hold
   * @param settings what the header is to say
   * @return the mapped segment
   * @throws SegmentException when it does not fit, or on an unsupported platform
   * @throws IOException when the file exists or cannot be created
   */
  public static Segment reserve(
      final Path file, final Geometry geometry, final SegmentSettings settings) throws IOException {
    Platform.require();
    final var mode = PosixFilePermissions.fromString("rw-------");
    Files.createFile(file, PosixFilePermissions.asFileAttribute(mode));
    try {
      return publish(
          new Segment(file, mapBytes(file, extend(file, geometry.segmentLength())), geometry),
          settings);
    } catch (final IOException e) {
      Files.delete(file);
      throw e;
    }
  }

  private static Segment publish(final Segment segment, final SegmentSettings settings)
      throws IOException {
    try {
      final Geometry geometry = segment.geometry;
      MappedMemory.preferHugePages(segment.address, geometry.segmentLength());
      segment.populate(0, geometry.chunksOffset());
      segment.chunkPool.init();
      segment.header.init(geometry, settings, ProcessIdentity.current());
      segment.header.publish();
      return segment;
    } catch (final IOException e) {
      segment.close();
      throw e;
    }
  }

  /** Sets the file's length, in whole blocks of its file system: hugetlbfs takes no other. */
  private static long extend(final Path file, final long wanted) throws IOException {
    try (NativeFile created = NativeFile.open(file, NativeFile.Flag.WRITE)) {
      final Room room = created.room();
      final long length = (wanted + room.block() - 1) / room.block() * room.block();
      if (length > room.free()) {
        throw noRoom(created, length, room);
      }
      created.truncate(length);
      return length;
    }
  }

  private static SegmentException noRoom(
      final NativeFile file, final long length, final Room room) {
    return new SegmentException(
        Reason.NO_ROOM,
        "no room for a segment of %d bytes, %d are free: %s; choose a smaller buffer"
            .formatted(length, room.free(), file.opened()));
  }

  private SegmentException noRoom() throws PosixException {
    try (NativeFile opened = NativeFile.open(file)) {
      return noRoom(opened, geometry.segmentLength(), opened.room());
    }
  }

  /**
   * Allocates the memory of a chunk, maps it here, and frees the chunk. Called once for each, by
   * one thread of the I/O process. A chunk without memory is never free, so a file system that
   * became full is an error here and not a signal in a process that touches the chunk.
   *
   * @param chunk 0 to {@code geometry().chunkCount()} - 1
   * @throws SegmentException when there is no memory for it; it is never free then
   * @throws IOException when the kernel refuses
   */
  public void provide(final int chunk) throws IOException {
    populate(geometry.chunkOffset(chunk), geometry.chunkLength());
    chunkPool.provide(chunk);
  }

  /**
   * Gives up providing: what is left of the chunks is never free. I/O process only.
   *
   * @param chunk the first that has no memory
   */
  public void withholdFrom(final int chunk) {
    chunkPool.withhold(geometry.chunkCount() - chunk);
  }

  private void populate(final long offset, final long length) throws IOException {
    try {
      MappedMemory.populate(address + offset, length);
    } catch (final PosixException e) {
      if (e.errno() == Errno.EFAULT) {
        throw noRoom();
      }
      if (e.errno() != Errno.EINVAL) {
        throw e;
      }
      allocate(offset, length);
    }
  }

  /** As {@code populate} before Linux 5.14; the pages are mapped as they are touched. */
  private void allocate(final long offset, final long length) throws IOException {
    try (NativeFile written = NativeFile.open(file, NativeFile.Flag.WRITE)) {
      written.allocate(offset, length);
    } catch (final PosixException e) {
      if (e.errno() == Errno.ENOSPC) {
        throw noRoom();
      }
      throw e;
    }
  }

  /**
   * Maps the segment of an I/O process, waiting a few seconds for it to be published.
   *
   * @param file the segment's file
   * @return the mapped segment
   * @throws SegmentException when the file is no segment, of another version or damaged
   * @throws IOException when it cannot be opened
   */
  public static Segment map(final Path file) throws IOException {
    return map(file, PUBLICATION_TIMEOUT);
  }

  static Segment map(final Path file, final Duration timeout) throws IOException {
    Platform.require();
    final long length = awaitPublication(file, timeout);
    final MappedBytes bytes = mapBytes(file, length);
    try {
      final Header header =
          new Header(new UnsafeBuffer(bytes.addressForRead(0), HeaderDescriptor.LENGTH));
      checkVersion(file, header.version());
      return new Segment(file, bytes, checkGeometry(file, header, length));
    } catch (final SegmentException e) {
      bytes.releaseLast();
      throw e;
    }
  }

  /** Waits in stages (spin, yield, park) until the version is there; returns the file's length. */
  private static long awaitPublication(final Path file, final Duration timeout) throws IOException {
    final long deadline = System.nanoTime() + timeout.toNanos();
    final BackoffIdleStrategy idle = new BackoffIdleStrategy();
    final ByteBuffer start = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = FileChannel.open(file, READ)) {
      while (true) {
        start.clear();
        final boolean complete = channel.read(start, 0) == start.capacity();
        final long magic = complete ? start.getLong(HeaderDescriptor.MAGIC_OFFSET) : 0;
        final int version = complete ? start.getInt(HeaderDescriptor.VERSION_OFFSET) : 0;
        if (magic == HeaderDescriptor.MAGIC && version != 0) {
          return channel.size();
        }
        final boolean foreign = magic != 0 && magic != HeaderDescriptor.MAGIC;
        if (foreign || System.nanoTime() - deadline > 0) {
          throw new SegmentException(
              Reason.NOT_A_SEGMENT,
              "not a segment, magic=%016x version=%d: %s; start an I/O process"
                  .formatted(magic, version, file));
        }
        idle.idle();
      }
    }
  }

  private static void checkVersion(final Path file, final int version) throws SegmentException {
    if (version != HeaderDescriptor.VERSION) {
      throw new SegmentException(
          Reason.OTHER_VERSION,
          "segment of another version, version=%d expected=%d: %s; use the same release of Sluice"
              .formatted(version, HeaderDescriptor.VERSION, file));
    }
  }

  private static Geometry checkGeometry(final Path file, final Header header, final long length)
      throws SegmentException {
    try {
      final Geometry geometry = header.geometry();
      if (length >= geometry.segmentLength() && header.isConsistent()) {
        return geometry;
      }
      throw damaged(file, "length=%d expected=%d".formatted(length, geometry.segmentLength()));
    } catch (final IllegalArgumentException e) {
      throw damaged(file, e.getMessage());
    }
  }

  private static SegmentException damaged(final Path file, final String what) {
    return new SegmentException(
        Reason.DAMAGED,
        "segment truncated or damaged, %s: %s; start a new I/O process".formatted(what, file));
  }

  private static MappedBytes mapBytes(final Path file, final long length)
      throws FileNotFoundException, SegmentException {
    if (length < HeaderDescriptor.LENGTH) {
      throw damaged(file, "length=%d".formatted(length));
    }
    final MappedBytes bytes = MappedBytes.singleMappedBytes(file.toFile(), length);
    bytes.singleThreadedCheckDisabled(true);
    return bytes;
  }

  private UnsafeBuffer view(final long offset, final int length) {
    return new UnsafeBuffer(address + offset, length);
  }

  /**
   * Where the segment is mapped.
   *
   * @return address of its first byte in this process
   */
  public long address() {
    return address;
  }

  /**
   * What the segment holds and where.
   *
   * @return the geometry
   */
  public Geometry geometry() {
    return geometry;
  }

  /**
   * The header.
   *
   * @return the one view of it
   */
  public Header header() {
    return header;
  }

  /**
   * The pool of chunks.
   *
   * @return the one view of it
   */
  public ChunkPool chunkPool() {
    return chunkPool;
  }

  /**
   * The table of images.
   *
   * @return the one view of it
   */
  public ImageTable imageTable() {
    return imageTable;
  }

  /**
   * A slot.
   *
   * @param slot 0 to {@code geometry().slots()} - 1
   * @return a new view of it
   */
  public Slot slot(final int slot) {
    Objects.checkIndex(slot, geometry.slots());
    return new Slot(
        view(geometry.slotsOffset() + (long) slot * SlotDescriptor.LENGTH, SlotDescriptor.LENGTH));
  }

  /**
   * The ring of a slot. {@link RingDescriptor} has the types of its messages.
   *
   * @param slot 0 to {@code geometry().slots()} - 1
   * @return a new view of it
   */
  public OneToOneRingBuffer ring(final int slot) {
    return new OneToOneRingBuffer(ringBuffer(slot));
  }

  /**
   * The consumer's end of a slot's ring, at its beginning. I/O process only.
   *
   * @param slot 0 to {@code geometry().slots()} - 1
   * @return one reader for each owner of the slot
   */
  public RingReader ringReader(final int slot) {
    return new RingReader(ringBuffer(slot), slot);
  }

  /**
   * Empties the ring of a slot for its next owner. I/O process only, while nobody is attached.
   *
   * @param slot 0 to {@code geometry().slots()} - 1
   */
  public void resetRing(final int slot) {
    ringBuffer(slot).setMemory(0, RingDescriptor.LENGTH, (byte) 0);
  }

  /**
   * Takes the records of a ring up to a position off it, where the former consumer may have died
   * with some taken and none or a part of them off. I/O process only.
   *
   * @param slot 0 to {@code geometry().slots()} - 1
   * @param position behind the last record that was taken
   * @return false when the ring's own idea of the position cannot be, and nothing was done
   */
  public boolean advanceRing(final int slot, final long position) {
    final UnsafeBuffer ring = ringBuffer(slot);
    final int headOffset = RingDescriptor.CAPACITY + RingDescriptor.HEAD_POSITION_OFFSET;
    final long head = ring.getLongVolatile(headOffset);
    if (head < 0
        || head > position
        || position - head > RingDescriptor.CAPACITY
        || head % RingDescriptor.RECORD_LENGTH != 0) {
      return false;
    }
    for (long record = head; record < position; record += RingDescriptor.RECORD_LENGTH) {
      ring.setMemory(
          (int) (record % RingDescriptor.CAPACITY), RingDescriptor.RECORD_LENGTH, (byte) 0);
    }
    ring.putLongRelease(headOffset, position);
    return true;
  }

  private UnsafeBuffer ringBuffer(final int slot) {
    Objects.checkIndex(slot, geometry.slots());
    return view(
        geometry.ringsOffset() + (long) slot * RingDescriptor.LENGTH, RingDescriptor.LENGTH);
  }

  /**
   * A chunk.
   *
   * @param chunk 0 to {@code geometry().chunkCount()} - 1
   * @return a new view of it
   */
  public UnsafeBuffer chunk(final int chunk) {
    Objects.checkIndex(chunk, geometry.chunkCount());
    return view(geometry.chunkOffset(chunk), geometry.chunkLength());
  }

  /**
   * How much of the segment huge pages map in this process.
   *
   * @return bytes at the moment
   * @throws IOException when the kernel does not tell
   */
  public long hugeBytes() throws IOException {
    return MappedMemory.hugeBytes(address);
  }

  /** Unmaps the segment; the file stays. */
  @Override
  public void close() {
    bytes.releaseLast();
  }
}
