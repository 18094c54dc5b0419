package org.sluice.profile.trace;

/**
 * A part of a recorded trace: what one process wrote.
 *
 * <pre>
 *   +----------------------------------------------+
 *   | magic                                        | 0
 *   | version, published last | pid                | 8
 *   | start time of the process                    | 16
 *   | trace id                                     | 24
 *   | rank                    | ranks              | 32
 *   | CLOCK_REALTIME                               | 40
 *   | CLOCK_MONOTONIC at the same moment           | 48
 *   | end, 0 until closed                          | 56
 *   | writes lost                                  | 64
 *   | host                                         | 72
 *   +----------------------------------------------+
 *   | records                                      | 512
 *   +----------------------------------------------+
 * </pre>
 *
 * <p>There is no checksum: the part is being written until the process dies, possibly by SIGKILL,
 * and has to be readable then. A record is complete once its first byte, stored last, is not 0.
 */
final class PartDescriptor {
  /** {@code SLUICTRC} read as a little-endian 64-bit integer. */
  static final long MAGIC = 0x4352_5443_4955_4C53L;

  static final int VERSION = 1;
  static final String SUFFIX = ".part";

  static final int MAGIC_OFFSET = 0;
  static final int VERSION_OFFSET = 8;
  static final int PID_OFFSET = 12;
  static final int START_TIME_OFFSET = 16;
  static final int TRACE_ID_OFFSET = 24;
  static final int RANK_OFFSET = 32;
  static final int RANKS_OFFSET = 36;
  static final int REALTIME_OFFSET = 40;
  static final int MONOTONIC_OFFSET = 48;
  static final int END_OFFSET = 56;
  static final int LOST_OFFSET = 64;
  static final int HOST_OFFSET = 72;
  static final int MAX_HOST_LENGTH = 256;
  static final int LENGTH = 512;

  /** Tag of a record that names the next file. */
  static final int FILE = 0x02;

  /** Bit of every tag of a write, and of no other. */
  static final int WRITE = 0x01;

  /** Of the file of the write before. */
  static final int SAME_FILE = 0x02;

  /** Begins where the last write of the file ended, at 0 if there was none. */
  static final int SEQUENTIAL = 0x04;

  /** Of the size of the write before. */
  static final int SAME_SIZE = 0x08;

  /** Of the call and route of the write before. */
  static final int SAME_KIND = 0x10;

  /** The bits a tag of a write may have. */
  static final int WRITE_BITS = WRITE | SAME_FILE | SEQUENTIAL | SAME_SIZE | SAME_KIND;

  static final int MAX_PATH_LENGTH = 4096;

  private PartDescriptor() {}

  /** Small numbers of either sign become small numbers. */
  static long zigzag(final long value) {
    return value << 1 ^ value >> 63;
  }

  static long unzigzag(final long code) {
    return code >>> 1 ^ -(code & 1);
  }
}
