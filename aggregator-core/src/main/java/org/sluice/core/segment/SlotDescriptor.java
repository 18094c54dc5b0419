package org.sluice.core.segment;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.I64;
import static org.sluice.core.format.Field.Type.SHARED_I32;
import static org.sluice.core.format.Field.Type.SHARED_I64;
import static org.sluice.core.format.Structure.AP;
import static org.sluice.core.format.Structure.IOP;

import org.sluice.core.format.Structure;

/**
 * Layout of a slot: one attached application process.
 *
 * <p>The first line is written by the I/O process, the rest by the attached process alone; that one
 * also takes the word {@code quiet} back.
 */
public final class SlotDescriptor {
  public static final int LENGTH = 1024;

  public static final int SIZE_CLASSES = 10;

  public static final int REASONS = Reason.MOST;

  private static final String AP_ADDS = "AP, atomic additions";

  public static final Structure SLOT = new Structure("slot", LENGTH).by(IOP);

  public static final int STATE_OFFSET = SLOT.field(SHARED_I32, "state", "0 free, 1 attached"),
      PID_OFFSET = SLOT.field(I32, "pid", "of the attached process"),
      START_TIME_OFFSET = SLOT.field(I64, "start_time", "its field 22 of `/proc/PID/stat`"),
      RANK_OFFSET = SLOT.field(I32, "rank", "-1 unknown"),
      RANKS_OFFSET = SLOT.field(I32, "ranks", "of the job; 0 unknown"),
      GENERATION_OFFSET = SLOT.field(SHARED_I64, "generation", "one more at each attach"),
      QUIET_OFFSET =
          SLOT.by("IOP, AP")
              .field(
                  SHARED_I32,
                  "quiet",
                  "1 while the process is to send WAKE at its next append, and then store 0"),
      MOST_UNTAKEN_OFFSET =
          SLOT.by(IOP)
              .field(
                  SHARED_I32,
                  "most_untaken",
                  "files whose OPEN the ring may hold at a time; 0 while each is to be asked for"),
      LENGTHENING_OFFSET =
          SLOT.by(AP)
              .field(
                  SHARED_I32,
                  "lengthening",
                  "the image whose own file is about to get its length; or 0"),
      MAKES_MEMORY_OFFSET =
          SLOT.by(IOP)
              .field(SHARED_I32, "makes_memory", "1 while the process may make memory of chunks"),
      AGGREGATED_WRITES_OFFSET =
          SLOT.by(AP)
              .at(128)
              .fields(SHARED_I64, SIZE_CLASSES, "aggregated_writes", "by size class"),
      AGGREGATED_BYTES_OFFSET =
          SLOT.fields(SHARED_I64, SIZE_CLASSES, "aggregated_bytes", "by size class"),
      DIRECT_WRITES_OFFSET =
          SLOT.by(AP_ADDS).fields(SHARED_I64, SIZE_CLASSES, "direct_writes", "by size class"),
      DIRECT_BYTES_OFFSET = SLOT.fields(SHARED_I64, SIZE_CLASSES, "direct_bytes", "by size class"),
      WAITS_OFFSET =
          SLOT.by(AP)
              .field(SHARED_I64, "waits", "how often it waited since all chunks were in use"),
      WAIT_NANOS_OFFSET = SLOT.field(SHARED_I64, "wait_nanos", "ns it waited then"),
      FALLBACKS_OFFSET =
          SLOT.field(SHARED_I64, "fallbacks", "images gone direct for want of a chunk"),
      OVERFLOWS_OFFSET =
          SLOT.field(
              SHARED_I64, "overflows", "writes gone direct for want of a chunk, in part or whole"),
      LEFT_OFFSET =
          SLOT.field(
              SHARED_I32, "left", "1 once the process ends well, or becomes another program"),
      ENTERING_OFFSET =
          SLOT.field(
              SHARED_I32, "entering", "1 + the image entry that it takes or has just taken; or 0"),
      MEMORY_WAITS_OFFSET =
          SLOT.field(
              SHARED_I64, "memory_waits", "how often it waited since no free chunk had its memory"),
      MEMORY_WAIT_NANOS_OFFSET = SLOT.field(SHARED_I64, "memory_wait_nanos", "ns it waited then"),
      MEMORY_OVERFLOWS_OFFSET =
          SLOT.field(
              SHARED_I64, "memory_overflows", "writes gone direct for that, in part or whole"),
      REASON_BYTES_OFFSET =
          SLOT.by(AP_ADDS)
              .at(512)
              .fields(SHARED_I64, REASONS, "reason_bytes", "by `Reason`, see below");

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
   * @param sizeClass 0 to {@link #SIZE_CLASSES} - 1
   * @return bytes; {@link Long#MAX_VALUE} for the last class
   */
  public static long sizeClassLimit(final int sizeClass) {
    return sizeClass < CLASS_LIMITS.length ? CLASS_LIMITS[sizeClass] : Long.MAX_VALUE;
  }
}
