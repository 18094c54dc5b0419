package org.sluice.core.store.format;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.I64;
import static org.sluice.core.format.Field.Type.U64;

import org.sluice.core.format.Structure;

/**
 * Layout of the header of a record in a commit log. The manifest follows, then the index, then
 * zeros up to the next block.
 */
public final class LogDescriptor {
  /** {@code SLUICLOG} read as a little-endian 64-bit integer. */
  static final long MAGIC = 0x474F_4C43_4955_4C53L;

  static final int VERSION = 1;

  /** The bytes of a block; records begin at multiples of it. */
  public static final int BLOCK_LENGTH = 4096;

  /** The bytes of the header. */
  static final int HEADER_LENGTH = 64;

  public static final Structure RECORD = new Structure("log_record", HEADER_LENGTH);

  public static final int MAGIC_OFFSET = RECORD.field(U64, "magic", "`SLUICLOG`"),
      VERSION_OFFSET = RECORD.field(I32, "version", ""),
      CRC_OFFSET = RECORD.field(I32, "crc", "of all blocks of the record with this field 0"),
      LOG_ID_OFFSET = RECORD.field(I64, "log_id", "what the file's name says"),
      SEQUENCE_OFFSET = RECORD.field(I64, "sequence", "one more than that of the record before"),
      FIRST_OFFSET =
          RECORD.field(I64, "first", "the first record that counted when this one was written"),
      PREVIOUS_OFFSET =
          RECORD.field(I32, "previous", "the crc of the record before; of the first one 0"),
      MANIFEST_LENGTH_OFFSET = RECORD.field(I32, "manifest_length", "bytes; of a mark 0"),
      INDEX_LENGTH_OFFSET =
          RECORD.field(I32, "index_length", "bytes; 0 of a mark, and where the index is a file");

  private LogDescriptor() {}
}
