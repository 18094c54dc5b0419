package org.sluice.core.chunk;

/**
 * Layout of a chunk's header.
 *
 * <pre>
 *  +---------------+---------------+-------------------------------+
 *  | magic "SLCH"  | version       | session id                    | 0
 *  +---------------+---------------+---------------+---------------+
 *  | sequence                      | slot          | rank          | 16
 *  +---------------+---------------+---------------+---------------+
 *  | used          | crc           | container id                  | 32
 *  +---------------+---------------+---------------+---------------+
 *  | position                      | header crc    |               | 48
 *  +-------------------------------+---------------+---------------+
 *  | records ...                                                   | 64
 * </pre>
 *
 * The owner writes up to and including {@code used}; the I/O process fills in the rest when it
 * drains the chunk. {@code used} is stored with release order after the bytes it covers, so that
 * the I/O process can read an open chunk. The crc covers the records, the header crc the header
 * before it, the position included: a chunk in the wrong place is not taken for the right one.
 */
public final class ChunkDescriptor {
  /** {@code SLCH} read as a little-endian 32-bit integer. */
  public static final int MAGIC = 0x4843_4C53;

  /** Version of chunks and records. */
  public static final int VERSION = 1;

  /** Bytes of the header. */
  public static final int HEADER_LENGTH = 64;

  /** Offset of the magic, 32 bits. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the version, 32 bits. */
  public static final int VERSION_OFFSET = MAGIC_OFFSET + 4;

  /** Offset of the session id, 64 bits. */
  public static final int SESSION_ID_OFFSET = VERSION_OFFSET + 4;

  /** Offset of the sequence of the chunk within its slot, 64 bits, from 1. */
  public static final int SEQUENCE_OFFSET = SESSION_ID_OFFSET + 8;

  /** Offset of the slot, 32 bits. */
  public static final int SLOT_OFFSET = SEQUENCE_OFFSET + 8;

  /** Offset of the rank, 32 bits, -1 when unknown. */
  public static final int RANK_OFFSET = SLOT_OFFSET + 4;

  /** Offset of the used length with this header, 32 bits. */
  public static final int USED_OFFSET = RANK_OFFSET + 4;

  /** Offset of the crc of the records, 32 bits. */
  public static final int CRC_OFFSET = USED_OFFSET + 4;

  /** Offset of the container id, 64 bits. */
  public static final int CONTAINER_ID_OFFSET = CRC_OFFSET + 4;

  /** Offset of the position in the container, 64 bits. */
  public static final int POSITION_OFFSET = CONTAINER_ID_OFFSET + 8;

  /** Offset of the crc of the header before this field, 32 bits. */
  public static final int HEADER_CRC_OFFSET = POSITION_OFFSET + 8;

  private ChunkDescriptor() {}
}
