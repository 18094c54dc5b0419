package org.sluice.profile.trace;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.I64;
import static org.sluice.core.format.Field.Type.SHARED_I32;
import static org.sluice.core.format.Field.Type.SHARED_I64;
import static org.sluice.core.format.Field.Type.STRING;
import static org.sluice.core.format.Field.Type.U64;

import org.sluice.core.format.Structure;

/**
 * The format of a part of a recorded trace: the writes of one process.
 *
 * <p>There is no checksum: the part is being written until the process dies, possibly by SIGKILL,
 * and has to be readable then. A record is complete once its first byte, stored last, is not 0.
 */
public final class PartDescriptor {
  /** The characters {@code SLUICTRC} as a little-endian 64-bit integer. */
  public static final long MAGIC = 0x4352_5443_4955_4C53L;

  public static final int VERSION = 1;

  static final String SUFFIX = ".part";

  static final int MAX_HOST_LENGTH = 256;
  static final int LENGTH = 512;

  public static final Structure HEADER = new Structure("trace_header", LENGTH);

  static final int MAGIC_OFFSET = HEADER.field(U64, "magic", "`SLUICTRC`"),
      VERSION_OFFSET = HEADER.field(SHARED_I32, "version", "stored last (release)"),
      PID_OFFSET = HEADER.field(I32, "pid", ""),
      START_TIME_OFFSET =
          HEADER.field(I64, "start_time", "field 22 of `/proc/PID/stat`; 0 unknown"),
      TRACE_ID_OFFSET = HEADER.field(I64, "trace_id", "random, one for all parts; 0 unknown"),
      RANK_OFFSET = HEADER.field(I32, "rank", "-1 unknown"),
      RANKS_OFFSET = HEADER.field(I32, "ranks", "0 unknown"),
      REALTIME_OFFSET = HEADER.field(I64, "realtime", "`CLOCK_REALTIME`, ns"),
      MONOTONIC_OFFSET = HEADER.field(I64, "monotonic", "`CLOCK_MONOTONIC` at the same moment, ns"),
      END_OFFSET = HEADER.field(SHARED_I64, "end", "behind the last record; 0 until closed"),
      LOST_OFFSET = HEADER.field(SHARED_I64, "lost", "writes lost for want of room"),
      HOST_OFFSET = HEADER.fields(STRING, 260, "host", "at most 256 bytes");

  /** The tag of a record that names the next file. */
  public static final int FILE = 0x02;

  /** The bit of every tag of a write, and of no other tag. */
  public static final int WRITE = 0x01;

  /** The bit of a write to the same file as the write before. */
  public static final int SAME_FILE = 0x02;

  /**
   * The bit of a write that begins where the last write of the file ended, or at 0 if there was
   * none.
   */
  public static final int SEQUENTIAL = 0x04;

  /** The bit of a write of the same size as the write before. */
  public static final int SAME_SIZE = 0x08;

  /** The bit of a write with the same call and route as the write before. */
  public static final int SAME_KIND = 0x10;

  static final int WRITE_BITS = WRITE | SAME_FILE | SEQUENTIAL | SAME_SIZE | SAME_KIND;

  static final int MAX_PATH_LENGTH = 4096;

  private PartDescriptor() {}

  /** Encodes a number, so that small numbers of either sign become small numbers. */
  static long zigzag(final long value) {
    return value << 1 ^ value >> 63;
  }

  static long unzigzag(final long code) {
    return code >>> 1 ^ -(code & 1);
  }
}
