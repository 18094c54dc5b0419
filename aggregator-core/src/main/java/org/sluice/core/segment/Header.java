package org.sluice.core.segment;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.posix.FileName;
import org.sluice.core.process.Membarrier;

/**
 * The segment's header.
 *
 * <p>Any thread of any process may call the readers. The setters belong to the I/O process, each to
 * one thread of it. Constant fields are written before the version, which is published last with
 * release order. So a process that saw the version sees them. The live fields (threshold, policy,
 * sleeping, heartbeat, free chunks) are single words that stand for themselves: no reader draws
 * conclusions about other memory from them, except for {@code sleeping}, see {@link #sleeping}.
 */
public final class Header {
  final UnsafeBuffer buffer;

  Header(final UnsafeBuffer buffer) {
    this.buffer = buffer;
  }

  void init(
      final Geometry geometry, final SegmentSettings settings, final ProcessIdentity process) {
    buffer.putLong(HeaderDescriptor.MAGIC_OFFSET, HeaderDescriptor.MAGIC);
    buffer.putInt(HeaderDescriptor.PID_OFFSET, process.pid());
    buffer.putLong(HeaderDescriptor.START_TIME_OFFSET, process.startTime());
    buffer.putLong(HeaderDescriptor.SESSION_ID_OFFSET, settings.sessionId());
    putGeometry(geometry);
    buffer.putInt(HeaderDescriptor.LAYOUT_OFFSET, settings.layout().code());
    buffer.putLong(HeaderDescriptor.THRESHOLD_OFFSET, settings.rules().threshold());
    buffer.putInt(HeaderDescriptor.THRESHOLD_POLICY_OFFSET, settings.rules().policy());
    buffer.putInt(HeaderDescriptor.WHEN_FULL_OFFSET, settings.rules().whenFull());
    buffer.putLong(HeaderDescriptor.SMALL_OFFSET, settings.rules().small());
    buffer.putLong(HeaderDescriptor.ABSENT_CHUNKS_OFFSET, geometry.chunkCount());
    putPath(HeaderDescriptor.STORE_OFFSET, settings.store());
    putPath(HeaderDescriptor.CAPTURE_OFFSET, settings.capture());
  }

  private void putGeometry(final Geometry geometry) {
    buffer.putLong(HeaderDescriptor.SEGMENT_LENGTH_OFFSET, geometry.segmentLength());
    buffer.putLong(HeaderDescriptor.SLOTS_OFFSET, geometry.slotsOffset());
    buffer.putInt(HeaderDescriptor.SLOT_COUNT_OFFSET, geometry.slots());
    buffer.putInt(HeaderDescriptor.SLOT_LENGTH_OFFSET, SlotDescriptor.LENGTH);
    buffer.putLong(HeaderDescriptor.RINGS_OFFSET, geometry.ringsOffset());
    buffer.putInt(HeaderDescriptor.RING_CAPACITY_OFFSET, RingDescriptor.CAPACITY);
    buffer.putInt(HeaderDescriptor.RING_LENGTH_OFFSET, RingDescriptor.LENGTH);
    buffer.putLong(HeaderDescriptor.IMAGES_OFFSET, geometry.imagesOffset());
    buffer.putInt(HeaderDescriptor.IMAGE_COUNT_OFFSET, geometry.images());
    buffer.putInt(HeaderDescriptor.IMAGE_LENGTH_OFFSET, ImageDescriptor.LENGTH);
    buffer.putLong(HeaderDescriptor.CHUNK_STATES_OFFSET, geometry.chunkStatesOffset());
    buffer.putInt(HeaderDescriptor.CHUNK_COUNT_OFFSET, geometry.chunkCount());
    buffer.putInt(HeaderDescriptor.CHUNK_LENGTH_OFFSET, geometry.chunkLength());
    buffer.putLong(HeaderDescriptor.CHUNKS_OFFSET, geometry.chunksOffset());
    buffer.putLong(HeaderDescriptor.CREATIONS_OFFSET, geometry.creationsOffset());
    buffer.putInt(HeaderDescriptor.CREATION_COUNT_OFFSET, CreationDescriptor.COUNT);
  }

  private void putPath(final int offset, final String path) {
    final byte[] bytes = FileName.encode(path);
    if (bytes.length > HeaderDescriptor.MAX_PATH_LENGTH) {
      throw new IllegalArgumentException(
          "longer than %d bytes: %s".formatted(HeaderDescriptor.MAX_PATH_LENGTH, path));
    }
    buffer.putInt(offset, bytes.length);
    buffer.putBytes(offset + Integer.BYTES, bytes);
  }

  void publish() {
    buffer.putIntRelease(HeaderDescriptor.VERSION_OFFSET, HeaderDescriptor.VERSION);
  }

  int version() {
    return buffer.getIntAcquire(HeaderDescriptor.VERSION_OFFSET);
  }

  /**
   * Tells whether the header's fields of the geometry are exactly those that {@link #geometry()}
   * implies.
   */
  boolean isConsistent() {
    final byte[] expected = new byte[HeaderDescriptor.LENGTH];
    final Header header = new Header(new UnsafeBuffer(expected));
    header.putGeometry(geometry());
    for (int i = HeaderDescriptor.SEGMENT_LENGTH_OFFSET; i < HeaderDescriptor.LAYOUT_OFFSET; i++) {
      if (buffer.getByte(i) != expected[i]) {
        return false;
      }
    }
    return true;
  }

  Geometry geometry() {
    return new Geometry(
        buffer.getInt(HeaderDescriptor.SLOT_COUNT_OFFSET),
        buffer.getInt(HeaderDescriptor.IMAGE_COUNT_OFFSET),
        buffer.getInt(HeaderDescriptor.CHUNK_COUNT_OFFSET),
        buffer.getInt(HeaderDescriptor.CHUNK_LENGTH_OFFSET));
  }

  public void process(final ProcessIdentity process) {
    buffer.putInt(HeaderDescriptor.PID_OFFSET, process.pid());
    buffer.putLong(HeaderDescriptor.START_TIME_OFFSET, process.startTime());
  }

  public ProcessIdentity process() {
    return new ProcessIdentity(
        buffer.getInt(HeaderDescriptor.PID_OFFSET),
        buffer.getLong(HeaderDescriptor.START_TIME_OFFSET));
  }

  public long sessionId() {
    return buffer.getLong(HeaderDescriptor.SESSION_ID_OFFSET);
  }

  /**
   * Returns which processes fence when an image becomes direct: one of {@code
   * HeaderDescriptor.BARRIER_*}.
   */
  public int barrier() {
    return buffer.getInt(HeaderDescriptor.BARRIER_OFFSET);
  }

  /**
   * Sets which processes fence when an image becomes direct. Called before the first process
   * attaches.
   *
   * @param barrier one of {@code HeaderDescriptor.BARRIER_*}; EACH by default
   */
  public void barrier(final int barrier) {
    buffer.putInt(HeaderDescriptor.BARRIER_OFFSET, barrier);
  }

  /**
   * Sets whether closed files whose bytes are elsewhere get their lengths.
   *
   * @param get all programs outside that can open such a file wait for its bytes
   */
  public void lengths(final boolean get) {
    buffer.putIntRelease(HeaderDescriptor.LENGTHS_OFFSET, get ? 1 : 0);
  }

  /**
   * Tells whether programs outside find closed files empty, whose bytes are elsewhere; false also
   * where bytes go to the files themselves.
   */
  public boolean areEmptyOutside() {
    return layout().lengthensClosed() && buffer.getIntAcquire(HeaderDescriptor.LENGTHS_OFFSET) == 0;
  }

  /** Sets whether files are held by leases. */
  public void leases(final boolean held) {
    buffer.putIntRelease(HeaderDescriptor.LEASES_OFFSET, held ? 1 : 0);
  }

  /**
   * Fences between a store of the I/O process and its look at appended records: a full fence, here
   * and on every processor that runs a process which leaves the fence to the kernel. Each such
   * process either made its records visible before it last looked at the stored word, or will see
   * the store.
   */
  public void fence() {
    VarHandle.fullFence();
    if (barrier() == HeaderDescriptor.BARRIER_KERNEL) {
      Membarrier.run();
    }
  }

  /**
   * The place where drained bytes land.
   *
   * @return to be read once: a mad process may write anything there
   */
  public Layout layout() {
    return Layout.of(buffer.getInt(HeaderDescriptor.LAYOUT_OFFSET));
  }

  /** Returns the store directory as the I/O process knows it. */
  public String store() {
    return path(HeaderDescriptor.STORE_OFFSET);
  }

  /** Returns the absolute, resolved capture directory; empty without one. */
  public String capture() {
    return path(HeaderDescriptor.CAPTURE_OFFSET);
  }

  private String path(final int offset) {
    final int length = Math.clamp(buffer.getInt(offset), 0, HeaderDescriptor.MAX_PATH_LENGTH);
    final byte[] bytes = new byte[length];
    buffer.getBytes(offset + Integer.BYTES, bytes);
    return FileName.decode(bytes);
  }

  /** Returns the bytes from which on a write goes direct under the fixed policy. */
  public long threshold() {
    return buffer.getLongOpaque(HeaderDescriptor.THRESHOLD_OFFSET);
  }

  /** Changes the threshold of all processes from their next write on: bytes, at least 0. */
  public void threshold(final long threshold) {
    buffer.putLongOpaque(HeaderDescriptor.THRESHOLD_OFFSET, threshold);
  }

  /**
   * Changes the policy by which all processes find the threshold from their next write on.
   *
   * @param policy {@link HeaderDescriptor#POLICY_FIXED} or {@link HeaderDescriptor#POLICY_AUTO}
   */
  public void policy(final int policy) {
    buffer.putIntOpaque(HeaderDescriptor.THRESHOLD_POLICY_OFFSET, policy);
  }

  /**
   * Returns the bytes from which on a write goes direct now, under either policy; {@link
   * Long#MAX_VALUE} when none does.
   */
  public long effectiveThreshold() {
    return policy() == HeaderDescriptor.POLICY_FIXED
        ? threshold()
        : AutoThreshold.of(
            freeChunks() + makeableChunks(),
            chunkCount(),
            buffer.getInt(HeaderDescriptor.CHUNK_LENGTH_OFFSET));
  }

  /** The number of chunks that processes may make memory for, as {@code threshold.h} counts it. */
  private long makeableChunks() {
    final long grants = buffer.getLongOpaque(HeaderDescriptor.MEMORY_GRANTS_OFFSET);
    return Math.max(0, Math.min(grants, absentChunks()));
  }

  /** Returns {@link HeaderDescriptor#POLICY_FIXED} or {@link HeaderDescriptor#POLICY_AUTO}. */
  public int policy() {
    return buffer.getIntOpaque(HeaderDescriptor.THRESHOLD_POLICY_OFFSET);
  }

  public int chunkCount() {
    return buffer.getInt(HeaderDescriptor.CHUNK_COUNT_OFFSET);
  }

  /**
   * The number of chunks that nobody uses, with memory or without. A hint, as {@link #freeChunks}.
   */
  public long unusedChunks() {
    return freeChunks() + absentChunks();
  }

  /** The number of chunks without memory. A hint, as {@link #freeChunks}. */
  public long absentChunks() {
    return buffer.getLongOpaque(HeaderDescriptor.ABSENT_CHUNKS_OFFSET);
  }

  void addAbsentChunks(final int chunks) {
    buffer.getAndAddLong(HeaderDescriptor.ABSENT_CHUNKS_OFFSET, chunks);
  }

  /**
   * Lets processes make the memory of chunks themselves. Called by the thread of the I/O process
   * that makes it, too.
   *
   * @param chunks the number of chunks from now on; 0 for none
   */
  public void grantMemory(final long chunks) {
    buffer.putLongOpaque(HeaderDescriptor.MEMORY_GRANTS_OFFSET, chunks);
  }

  /**
   * Takes note that a process got no memory for a chunk. No process makes any after that until
   * memory is granted again.
   *
   * @return whether one got none since the last call
   */
  public boolean takeMemoryRefused() {
    return buffer.getIntOpaque(HeaderDescriptor.MEMORY_REFUSED_OFFSET) != 0
        && buffer.getAndSetInt(HeaderDescriptor.MEMORY_REFUSED_OFFSET, 0) != 0;
  }

  /**
   * The number of free chunks that have memory. A hint: it lags behind the chunk states by the
   * processes that are between their compare-and-set and their count.
   */
  public long freeChunks() {
    return buffer.getLongOpaque(HeaderDescriptor.FREE_CHUNKS_OFFSET);
  }

  void addFreeChunks(final int chunks) {
    buffer.getAndAddLong(HeaderDescriptor.FREE_CHUNKS_OFFSET, chunks);
  }

  /**
   * Notes that the I/O process waits in the kernel and must be woken, or that it works; a full
   * fence follows the store. A producer publishes, makes a full fence and then looks at the flag;
   * the I/O process sets it, and then looks at the rings once more. So one of the two sees the
   * other and no wake-up is lost.
   *
   * @param how {@link HeaderDescriptor#AWAKE}, or another one before it looks at the rings for the
   *     last time
   */
  public void sleeping(final int how) {
    buffer.putIntVolatile(HeaderDescriptor.SLEEPING_OFFSET, how);
  }

  /** Notes that programs outside Sluice may wait for the files of images from here on. */
  public void guarded() {
    buffer.putIntRelease(HeaderDescriptor.GUARDED_OFFSET, 1);
  }

  /** Notes that the service thread makes progress. Called by that thread alone. */
  public void turns(final long count) {
    buffer.putLongOpaque(HeaderDescriptor.TURNS_OFFSET, count);
  }

  /** Notes which thread is the service thread. */
  public void service(final int thread) {
    buffer.putIntRelease(HeaderDescriptor.SERVICE_OFFSET, thread);
  }

  /**
   * Returns the time of the I/O process's last sign of life in milliseconds since the epoch; 0
   * never.
   */
  public long heartbeat() {
    return buffer.getLongOpaque(HeaderDescriptor.HEARTBEAT_OFFSET);
  }

  /**
   * Returns the openings for writing of files that are not captured because their processes could
   * not announce them.
   */
  public long unattachedFiles() {
    return buffer.getLongOpaque(HeaderDescriptor.UNATTACHED_FILES_OFFSET);
  }

  /**
   * Tells whether a process had all its files direct for a reason, and may have opened others past
   * the shim.
   */
  public boolean isPast(final Reason reason) {
    return (buffer.getLongOpaque(HeaderDescriptor.PAST_OFFSET) >> reason.ordinal() & 1) != 0;
  }

  /**
   * Returns the bytes up to which new files are left to the kernel; 0 for none, and below 0 the
   * size from {@link #leaveSmall} on.
   */
  public long small() {
    return buffer.getLongOpaque(HeaderDescriptor.SMALL_OFFSET);
  }

  /** Sets whether a process fills a checkpoint, so that all files are announced. */
  public void filled(final boolean is) {
    buffer.putIntRelease(HeaderDescriptor.FILLED_OFFSET, is ? 1 : 0);
  }

  /** Makes files that stay small no matter of announcement, from here on for good. */
  public void leaveSmall() {
    buffer.putLongOpaque(HeaderDescriptor.SMALL_OFFSET, Math.abs(small()));
  }

  /** The bytes that processes wrote to files that they did not announce, for one reason. */
  public long plainBytes(final Reason reason) {
    return buffer.getLongOpaque(
        HeaderDescriptor.PLAIN_BYTES_OFFSET + reason.ordinal() * Long.BYTES);
  }

  /** The bytes that processes wrote to files that they did not announce, for any reason. */
  public long plainBytes() {
    return Arrays.stream(Reason.values()).mapToLong(this::plainBytes).sum();
  }

  /** The number of files that processes opened for writing and did not announce. */
  public long plainFiles(final Reason reason) {
    return buffer.getLongOpaque(
        HeaderDescriptor.PLAIN_FILES_OFFSET + reason.ordinal() * Long.BYTES);
  }

  /**
   * Gives an image an id. Processes take ids from the same word, which may hold anything.
   *
   * @return the next one; less than 1 where the word holds nonsense
   */
  int nextImage() {
    return buffer.getAndAddInt(HeaderDescriptor.LAST_IMAGE_OFFSET, 1) + 1;
  }

  /** The highest id of an image so far; 0 for none; anything where the word holds nonsense. */
  int lastImage() {
    return buffer.getIntVolatile(HeaderDescriptor.LAST_IMAGE_OFFSET);
  }

  void lastImage(final int id) {
    buffer.putIntVolatile(HeaderDescriptor.LAST_IMAGE_OFFSET, id);
  }

  /** Notes a sign of life of the I/O process, in milliseconds since the epoch. */
  public void heartbeat(final long now) {
    buffer.putLongOpaque(HeaderDescriptor.HEARTBEAT_OFFSET, now);
  }

  /**
   * Sets the number of orders that the coordinator of an MPI job has given. A rank that sees
   * another number asks for them.
   */
  public void orders(final long count) {
    buffer.putLongRelease(HeaderDescriptor.ORDERS_OFFSET, count);
  }

  /**
   * The number of orders that the coordinator of an MPI job has given, before this I/O process too.
   */
  public long orders() {
    return buffer.getLongOpaque(HeaderDescriptor.ORDERS_OFFSET);
  }
}
