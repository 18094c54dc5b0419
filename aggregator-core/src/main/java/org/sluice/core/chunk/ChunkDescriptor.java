package org.sluice.core.chunk;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.I64;
import static org.sluice.core.format.Field.Type.SHARED_I32;
import static org.sluice.core.format.Structure.AP;
import static org.sluice.core.format.Structure.IOP;

import org.sluice.core.format.Structure;

/**
 * Layout of a chunk's header.
 *
 * <p>The owner writes up to and including {@code used}; the I/O process fills in the rest when it
 * drains the chunk. {@code used} is stored with release order after the bytes it covers, so that
 * the I/O process can read an open chunk. The crc covers the records, the header crc the header
 * before it, the position included: a chunk in the wrong place is not taken for the right one.
 */
public final class ChunkDescriptor {
  /** {@code SLCH} read as a little-endian 32-bit integer. */
  public static final int MAGIC = 0x4843_4C53;

  public static final int VERSION = 1;

  public static final int HEADER_LENGTH = 64;

  public static final Structure CHUNK = new Structure("chunk", HEADER_LENGTH).by(AP);

  public static final int MAGIC_OFFSET = CHUNK.field(I32, "magic", "`SLCH`"),
      VERSION_OFFSET = CHUNK.field(I32, "version", ""),
      SESSION_ID_OFFSET = CHUNK.field(I64, "session_id", ""),
      SEQUENCE_OFFSET = CHUNK.field(I64, "sequence", "of the chunk within its slot, from 1"),
      SLOT_OFFSET = CHUNK.field(I32, "slot", ""),
      RANK_OFFSET = CHUNK.field(I32, "rank", "-1 unknown"),
      USED_OFFSET = CHUNK.field(SHARED_I32, "used", "bytes, see below"),
      CRC_OFFSET = CHUNK.by(IOP).field(I32, "crc", "of bytes [64, used)"),
      CONTAINER_ID_OFFSET = CHUNK.field(I64, "container_id", ""),
      POSITION_OFFSET = CHUNK.field(I64, "position", "in the container"),
      HEADER_CRC_OFFSET = CHUNK.field(I32, "header_crc", "of bytes [0, 56)");

  private ChunkDescriptor() {}
}
