package org.sluice.core.segment;

/**
 * Layout of the segment's header.
 *
 * <pre>
 *   0                   1                   2                   3
 *  +-------------------------------+---------------+---------------+
 *  | magic "SLUICSEG"              | version       | pid           | 0
 *  +-------------------------------+---------------+---------------+
 *  | start time                    | session id                    | 16
 *  +-------------------------------+-------------------------------+
 *  | segment length                | slot table offset             | 32
 *  +---------------+---------------+-------------------------------+
 *  | slot count    | slot length   | rings offset                  | 48
 *  +---------------+---------------+-------------------------------+
 *  | ring capacity | ring length   | image table offset            | 64
 *  +---------------+---------------+-------------------------------+
 *  | image count   | entry length  | chunk states offset           | 80
 *  +---------------+---------------+-------------------------------+
 *  | chunk count   | chunk length  | chunks offset                 | 96
 *  +---------------+---------------+-------------------------------+
 *  | layout        |                                               | 112
 *  +---------------+---------------+-------------------------------+
 *  | threshold                     | policy        | when full     | 256
 *  +-------------------------------+---------------+---------------+
 *  | free chunks                   |                               | 384
 *  +---------------+---------------+-------------------------------+
 *  | sleeping      |                                               | 512
 *  +---------------+---------------+-------------------------------+
 *  | heartbeat                     | unattached files              | 640
 *  +-------------------------------+-------------------------------+
 *  | store directory (string)                                      | 1024
 *  +---------------------------------------------------------------+
 *  | capture directory (string)                                    | 2048
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * The version is stored last, with release order. Fields that change while processes are attached
 * have cache lines of their own.
 */
public final class HeaderDescriptor {
  /** {@code SLUICSEG} read as a little-endian 64-bit integer. */
  public static final long MAGIC = 0x4745_5343_4955_4C53L;

  /** Version of the segment and of the requests that go with it. */
  public static final int VERSION = 2;

  /** Bytes of the header. */
  public static final int LENGTH = 4096;

  /** Longest directory name the header holds, in bytes. */
  public static final int MAX_PATH_LENGTH = 1020;

  /** Offset of the magic, 64 bits. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the version, 32 bits. */
  public static final int VERSION_OFFSET = MAGIC_OFFSET + 8;

  /** Offset of the I/O process's pid, 32 bits. */
  public static final int PID_OFFSET = VERSION_OFFSET + 4;

  /** Offset of the I/O process's start time in clock ticks since boot, 64 bits. */
  public static final int START_TIME_OFFSET = PID_OFFSET + 4;

  /** Offset of the random session id, 64 bits. */
  public static final int SESSION_ID_OFFSET = START_TIME_OFFSET + 8;

  /** Offset of the segment's length, 64 bits. */
  public static final int SEGMENT_LENGTH_OFFSET = SESSION_ID_OFFSET + 8;

  /** Offset of the slot table's offset, 64 bits. */
  public static final int SLOTS_OFFSET = SEGMENT_LENGTH_OFFSET + 8;

  /** Offset of the number of slots, 32 bits. */
  public static final int SLOT_COUNT_OFFSET = SLOTS_OFFSET + 8;

  /** Offset of the length of a slot, 32 bits. */
  public static final int SLOT_LENGTH_OFFSET = SLOT_COUNT_OFFSET + 4;

  /** Offset of the rings' offset, 64 bits. */
  public static final int RINGS_OFFSET = SLOT_LENGTH_OFFSET + 4;

  /** Offset of a ring's capacity, 32 bits. */
  public static final int RING_CAPACITY_OFFSET = RINGS_OFFSET + 8;

  /** Offset of a ring's length with its trailer, 32 bits. */
  public static final int RING_LENGTH_OFFSET = RING_CAPACITY_OFFSET + 4;

  /** Offset of the image table's offset, 64 bits. */
  public static final int IMAGES_OFFSET = RING_LENGTH_OFFSET + 4;

  /** Offset of the number of image entries, 32 bits. */
  public static final int IMAGE_COUNT_OFFSET = IMAGES_OFFSET + 8;

  /** Offset of the length of an image entry, 32 bits. */
  public static final int IMAGE_LENGTH_OFFSET = IMAGE_COUNT_OFFSET + 4;

  /** Offset of the chunk states' offset, 64 bits. */
  public static final int CHUNK_STATES_OFFSET = IMAGE_LENGTH_OFFSET + 4;

  /** Offset of the number of chunks, 32 bits. */
  public static final int CHUNK_COUNT_OFFSET = CHUNK_STATES_OFFSET + 8;

  /** Offset of the length of a chunk, 32 bits. */
  public static final int CHUNK_LENGTH_OFFSET = CHUNK_COUNT_OFFSET + 4;

  /** Offset of the chunks' offset, 64 bits. */
  public static final int CHUNKS_OFFSET = CHUNK_LENGTH_OFFSET + 4;

  /** Offset of the layout, 32 bits. */
  public static final int LAYOUT_OFFSET = CHUNKS_OFFSET + 8;

  /** Offset of who fences when an image is made direct, 32 bits: one of {@code BARRIER_*}. */
  public static final int BARRIER_OFFSET = LAYOUT_OFFSET + 4;

  /**
   * Offset of whether files are held by leases, 32 bits, 1 when they are: a process asks for one
   * back before it opens an image, or its open waits until the image is direct.
   */
  public static final int LEASES_OFFSET = BARRIER_OFFSET + 4;

  /** Every process fences after each append. */
  public static final int BARRIER_EACH = 0;

  /**
   * The I/O process lets the kernel fence the processors of all registered processes ({@code
   * membarrier}), so that those need not after each append.
   */
  public static final int BARRIER_KERNEL = 1;

  /** Offset of the threshold in bytes, 64 bits. */
  public static final int THRESHOLD_OFFSET = 256;

  /** Offset of the threshold policy, 32 bits. */
  public static final int THRESHOLD_POLICY_OFFSET = THRESHOLD_OFFSET + 8;

  /** Offset of what a write does that finds no chunk, 32 bits. */
  public static final int WHEN_FULL_OFFSET = THRESHOLD_POLICY_OFFSET + 4;

  /** Offset of the number of free chunks, 64 bits, changed atomically by every process. */
  public static final int FREE_CHUNKS_OFFSET = 384;

  /** Offset of the flag that says that the I/O process waits in the kernel, 32 bits. */
  public static final int SLEEPING_OFFSET = 512;

  /** Offset of the heartbeat in milliseconds since the epoch, 64 bits. */
  public static final int HEARTBEAT_OFFSET = 640;

  /**
   * Offset of how many files are not captured since their process could not announce them, 64 bits,
   * changed atomically by every process.
   */
  public static final int UNATTACHED_FILES_OFFSET = HEARTBEAT_OFFSET + 8;

  /** Offset of the store directory's name, a string. */
  public static final int STORE_OFFSET = 1024;

  /** Offset of the capture directory's name, a string; empty without one. */
  public static final int CAPTURE_OFFSET = 2048;

  /** Layout: chunks go to a container, large writes to the images' own files. */
  public static final int LAYOUT_CONTAINER = 1;

  /** Layout: chunks are written in place into the images' own files. */
  public static final int LAYOUT_FILES = 2;

  /** Policy: the threshold stays as given. */
  public static final int POLICY_FIXED = 1;

  /** Policy: everything is aggregated while half of the chunks are free, less as they fill. */
  public static final int POLICY_AUTO = 2;

  /** When full: a write that finds no chunk waits for the drain. */
  public static final int WHEN_FULL_WAIT = 1;

  /** When full: a write that finds no chunk goes to the image's own file. */
  public static final int WHEN_FULL_DIRECT = 2;

  private HeaderDescriptor() {}
}
