package org.sluice.core.segment;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.I64;
import static org.sluice.core.format.Field.Type.U64;

import org.sluice.core.format.Structure;

/**
 * Layout of the file of the work that the threads of an I/O process handle, as far as others read
 * it.
 */
public final class InFlightDescriptor {
  /** {@code SLUICEIF} read as a little-endian 64-bit integer. */
  public static final long MAGIC = 0x4649_4543_4955_4C53L;

  public static final int VERSION = 1;

  public static final Structure HEADER = new Structure("in_flight", 32);

  public static final int MAGIC_OFFSET = HEADER.field(U64, "magic", "`SLUICEIF`"),
      VERSION_OFFSET = HEADER.field(I32, "version", ""),
      FAILED_OFFSET =
          HEADER.field(I32, "failed", "the failed thread's lane, from 1; -1 it has none"),
      SESSION_OFFSET = HEADER.field(I64, "session_id", ""),
      PROGRESS_OFFSET = HEADER.field(I64, "progress", "count of what need not be done again");

  private InFlightDescriptor() {}
}
