package org.sluice.core.segment;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.process.MappedMemory;

/**
 * The mapped segment: one file of shared memory, laid out as {@code docs/format.md} says.
 *
 * <p>The I/O process creates it and stores the header's version last, with release order. A client
 * waits for that version before it maps the file, and loads the version with acquire order
 * afterwards. So the client sees the geometry and everything else that never changes. The classes
 * of the changing parts argue how these are shared: {@link Header}, {@link Slot}, {@link
 * ChunkPool}, {@link ImageTable}; rings have one producer, the process attached to the slot, and
 * one consumer, the I/O process.
 *
 * <p>Thread-safe, except that nobody may use a view after {@link #close}: the memory is gone then.
 */
public final class Segment implements AutoCloseable {
  /** The bytes that are given back at a time. */
  private static final int MOST_GIVEN_BACK = 64 << 20;

  private static final Duration PUBLICATION_TIMEOUT = Duration.ofSeconds(5);

  private final Path file;
  private final Arena mapping;
  private final long address;
  private final Header header;
  private final Geometry geometry;
  private final ChunkPool chunkPool;
  private final ImageTable imageTable;
  private final Creations creations;

  private Segment(
      final Path file, final Arena mapping, final long address, final Geometry geometry) {
    this.file = file;
    this.mapping = mapping;
    this.address = address;
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
    this.creations =
        new Creations(
            view(geometry.creationsOffset(), CreationDescriptor.COUNT * CreationDescriptor.LENGTH),
            imageTable);
  }

  /**
   * Creates a segment and publishes it before its chunks have memory: a client makes that itself
   * where it is granted, or waits for {@link #provideNext}.
   *
   * @throws SegmentException when it does not fit, or on an unsupported platform
   */
  public static Segment reserve(
      final Path file, final Geometry geometry, final SegmentSettings settings) throws IOException {
    Platform.require();
    SegmentFile.create(file);
    try {
      return publish(unpublished(file, geometry), settings);
    } catch (final IOException e) {
      Files.delete(file);
      throw e;
    }
  }

  /**
   * Tries out whether a segment has room, and which pages it would get. A single huge page is
   * touched.
   *
   * @return bytes of its beginning that lie on huge pages; 0 for small ones
   * @throws SegmentException when it does not fit, or on an unsupported platform
   */
  public static long tryOut(final Path file, final Geometry geometry) throws IOException {
    Platform.require();
    SegmentFile.create(file);
    try (Segment segment = unpublished(file, geometry)) {
      segment.populate(0, Math.min(Geometry.HUGE_PAGE, geometry.segmentLength()));
      return segment.hugeBytes();
    } finally {
      Files.delete(file);
    }
  }

  private static Segment unpublished(final Path file, final Geometry geometry) throws IOException {
    final long length = SegmentFile.extend(file, geometry.segmentLength());
    final Arena mapping = Arena.ofShared();
    final long address = SegmentFile.map(file, length, mapping);
    MappedMemory.preferHugePages(address, geometry.segmentLength());
    return new Segment(file, mapping, address, geometry);
  }

  private static Segment publish(final Segment segment, final SegmentSettings settings)
      throws IOException {
    try {
      final Geometry geometry = segment.geometry;
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

  private SegmentException noRoom() throws PosixException {
    try (NativeFile opened = NativeFile.open(file)) {
      return SegmentFile.noRoom(opened, geometry.segmentLength(), opened.room());
    }
  }

  /**
   * Allocates the memory of the first chunk without any, maps it here, and frees the chunk. Called
   * by one thread of the I/O process. A chunk without memory is never free, so a file system that
   * became full is an error here and not a signal in a process that touches the chunk.
   *
   * @throws SegmentException when there is no memory for it; it is not free then
   */
  public void provideNext() throws IOException {
    final int chunk = chunkPool.firstAbsent();
    if (chunk >= 0) {
      populate(geometry.chunkOffset(chunk), geometry.chunkLength());
      chunkPool.provide(chunk);
    }
  }

  /**
   * Gives the memory of the first chunks that nobody uses back, as much as takes some milliseconds.
   * Processes do not get these chunks meanwhile. Called by the thread that provides it.
   *
   * @param first the chunk to begin at
   * @return the chunk to go on at; the number of chunks when all is given back
   */
  public int giveMemoryBack(final int first) {
    return chunkPool.giveBack(
        first,
        Math.max(1, MOST_GIVEN_BACK / geometry.chunkLength()),
        (begin, count) ->
            MappedMemory.remove(
                address + geometry.chunkOffset(begin), (long) count * geometry.chunkLength()));
  }

  private void populate(final long offset, final long length) throws IOException {
    try {
      MappedMemory.populate(address + offset, length);
    } catch (final PosixException e) {
      if (e.errno() == Errno.EFAULT) {
        throw noRoom();
      }
      e.throwUnless(Errno.EINVAL);
      allocate(offset, length);
    }
  }

  /**
   * Allocates memory, as {@code populate} before Linux 5.14; the pages are mapped as they are
   * touched.
   */
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
   * @throws SegmentException when the file is no segment, of another version or damaged
   */
  public static Segment map(final Path file) throws IOException {
    return map(file, PUBLICATION_TIMEOUT);
  }

  static Segment map(final Path file, final Duration timeout) throws IOException {
    Platform.require();
    final long length = SegmentFile.awaitPublication(file, timeout);
    final Arena mapping = Arena.ofShared();
    try {
      final long address = SegmentFile.map(file, length, mapping);
      final Header header = new Header(new UnsafeBuffer(address, HeaderDescriptor.LENGTH));
      return new Segment(file, mapping, address, SegmentFile.check(file, header, length));
    } catch (final IOException e) {
      mapping.close();
      throw e;
    }
  }

  private UnsafeBuffer view(final long offset, final int length) {
    return new UnsafeBuffer(address + offset, length);
  }

  public long address() {
    return address;
  }

  public Geometry geometry() {
    return geometry;
  }

  public Path file() {
    return file;
  }

  public Header header() {
    return header;
  }

  public ChunkPool chunkPool() {
    return chunkPool;
  }

  public ImageTable imageTable() {
    return imageTable;
  }

  /** The words of files that have just been created. */
  public Creations creations() {
    return creations;
  }

  /** Returns a new view of a slot. */
  public Slot slot(final int slot) {
    Objects.checkIndex(slot, geometry.slots());
    return new Slot(
        view(geometry.slotsOffset() + (long) slot * SlotDescriptor.LENGTH, SlotDescriptor.LENGTH));
  }

  /** The consumer's end of a slot's ring, at its beginning. I/O process only. */
  public RingReader ringReader(final int slot) {
    return new RingReader(ringBuffer(slot), slot);
  }

  /** Empties the ring of a slot for its next owner. I/O process only, while nobody is attached. */
  public void resetRing(final int slot) {
    ringBuffer(slot).setMemory(0, RingDescriptor.LENGTH, (byte) 0);
  }

  /**
   * Takes the records of a ring up to a position off it, where the former consumer may have died
   * with some taken and none or a part of them off. I/O process only.
   *
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

  UnsafeBuffer ringBuffer(final int slot) {
    Objects.checkIndex(slot, geometry.slots());
    return view(
        geometry.ringsOffset() + (long) slot * RingDescriptor.LENGTH, RingDescriptor.LENGTH);
  }

  /** Returns a new view of a chunk. */
  public UnsafeBuffer chunk(final int chunk) {
    Objects.checkIndex(chunk, geometry.chunkCount());
    return view(geometry.chunkOffset(chunk), geometry.chunkLength());
  }

  public long hugeBytes() throws IOException {
    return MappedMemory.hugeBytes(address);
  }

  /** Unmaps the segment; the file stays. */
  @Override
  public void close() {
    mapping.close();
  }
}
