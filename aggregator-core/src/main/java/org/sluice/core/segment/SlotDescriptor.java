package org.sluice.core.segment;

/**
 * Layout of a slot: one attached application process.
 *
 * <pre>
 *  +---------------+---------------+-------------------------------+
 *  | state         | pid           | start time                    | 0
 *  +---------------+---------------+-------------------------------+
 *  | rank          | ranks         | generation                    | 16
 *  +---------------+---------------+-------------------------------+
 *  | quiet         |                                               | 32
 *  +---------------+-----------------------------------------------+
 *  | aggregated writes, by size class                              | 128
 *  | aggregated bytes                                              | 208
 *  | direct writes                                                 | 288
 *  | direct bytes                                                  | 368
 *  +-------------------------------+-------------------------------+
 *  | waits                         | nanoseconds waited            | 448
 *  +-------------------------------+-------------------------------+
 *  | images gone direct            | overflows                     | 464
 *  +---------------+---------------+-------------------------------+
 *  | left          |                                               | 480
 *  +---------------+-----------------------------------------------+
 *  | bytes past the buffer, by reason                              | 512
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * The first line is written by the I/O process, the rest by the attached process alone; that one
 * also takes the word {@code quiet} back.
 */
public final class SlotDescriptor {
  /** Bytes of a slot. */
  public static final int LENGTH = 1024;

  /** Offset of the state, 32 bits. */
  public static final int STATE_OFFSET = 0;

  /** Offset of the pid, 32 bits. */
  public static final int PID_OFFSET = STATE_OFFSET + 4;

  /** Offset of the start time in clock ticks since boot, 64 bits. */
  public static final int START_TIME_OFFSET = PID_OFFSET + 4;

  /** Offset of the rank, 32 bits, -1 when unknown. */
  public static final int RANK_OFFSET = START_TIME_OFFSET + 8;

  /** Offset of the number of ranks of the job, 32 bits, 0 when unknown. */
  public static final int RANKS_OFFSET = RANK_OFFSET + 4;

  /** Offset of the generation, 64 bits, one more at each attach. */
  public static final int GENERATION_OFFSET = RANKS_OFFSET + 4;

  /**
   * Offset of whether the process is to ring the bell at its next append, 32 bits, 1 when it is:
   * all that it has appended is in the files, and the I/O process looks no more.
   */
  public static final int QUIET_OFFSET = GENERATION_OFFSET + 8;

  /** Number of size classes of the counters. */
  public static final int SIZE_CLASSES = 10;

  /** Offset of the aggregated writes, 64 bits per size class. */
  public static final int AGGREGATED_WRITES_OFFSET = 128;

  /** Offset of the aggregated bytes, 64 bits per size class. */
  public static final int AGGREGATED_BYTES_OFFSET = AGGREGATED_WRITES_OFFSET + 8 * SIZE_CLASSES;

  /** Offset of the direct writes, 64 bits per size class. */
  public static final int DIRECT_WRITES_OFFSET = AGGREGATED_BYTES_OFFSET + 8 * SIZE_CLASSES;

  /** Offset of the direct bytes, 64 bits per size class. */
  public static final int DIRECT_BYTES_OFFSET = DIRECT_WRITES_OFFSET + 8 * SIZE_CLASSES;

  /** Offset of the number of times the process waited for a chunk, 64 bits. */
  public static final int WAITS_OFFSET = DIRECT_BYTES_OFFSET + 8 * SIZE_CLASSES;

  /** Offset of the nanoseconds waited for chunks, 64 bits. */
  public static final int WAIT_NANOS_OFFSET = WAITS_OFFSET + 8;

  /** Offset of the number of images that went direct for want of a chunk, 64 bits. */
  public static final int FALLBACKS_OFFSET = WAIT_NANOS_OFFSET + 8;

  /** Offset of the number of writes that went direct for want of a chunk, 64 bits. */
  public static final int OVERFLOWS_OFFSET = FALLBACKS_OFFSET + 8;

  /**
   * Offset of whether the process has ended well, or become another program, 32 bits, 1 when it
   * has: one that goes without having said so has failed or was killed.
   */
  public static final int LEFT_OFFSET = OVERFLOWS_OFFSET + 8;

  /**
   * Offset of the bytes that did not go through the buffer, 64 bits per {@link Reason}: those of
   * images count among the direct bytes as well, those of files that are no images do not.
   */
  public static final int REASON_BYTES_OFFSET = 512;

  /** Number of counters by reason. */
  public static final int REASONS = Reason.MOST;

  /** State: no process attached. */
  public static final int STATE_FREE = 0;

  /** State: a process is attached. */
  public static final int STATE_ATTACHED = 1;

  private static final long[] CLASS_LIMITS = {
    64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20
  };

  private SlotDescriptor() {}

  /**
   * The size class of a write, as in the paper's tables.
   *
   * @param length bytes of the write, at least 0
   * @return 0 for less than 64 B up to 9 for 1 MiB or more
   */
  public static int sizeClass(final long length) {
    int sizeClass = 0;
    while (sizeClass < CLASS_LIMITS.length && length >= CLASS_LIMITS[sizeClass]) {
      sizeClass++;
    }
    return sizeClass;
  }

  /**
   * The first size above a class.
   *
   * @param sizeClass 0 to 9
   * @return bytes; {@link Long#MAX_VALUE} for the last class
   */
  public static long sizeClassLimit(final int sizeClass) {
    return sizeClass < CLASS_LIMITS.length ? CLASS_LIMITS[sizeClass] : Long.MAX_VALUE;
  }
}
