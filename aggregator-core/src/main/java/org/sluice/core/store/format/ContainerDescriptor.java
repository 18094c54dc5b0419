package org.sluice.core.store.format;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.I64;
import static org.sluice.core.format.Field.Type.STRING;
import static org.sluice.core.format.Field.Type.U64;

import org.sluice.core.format.Structure;

/**
 * Layout of a container's header block.
 *
 * <p>The crc covers the block with the crc itself taken as 0.
 */
public final class ContainerDescriptor {
  /** {@code SLUICDAT} read as a little-endian 64-bit integer. */
  public static final long MAGIC = 0x5441_4443_4955_4C53L;

  public static final int VERSION = 1;

  /** The bytes of the header block; chunks begin at multiples of it. */
  public static final int BLOCK_LENGTH = 4096;

  public static final Structure BLOCK = new Structure("container", BLOCK_LENGTH);

  public static final int MAGIC_OFFSET = BLOCK.field(U64, "magic", "`SLUICDAT`"),
      VERSION_OFFSET = BLOCK.field(I32, "version", ""),
      CRC_OFFSET = BLOCK.field(I32, "crc", "of the block with this field 0"),
      CONTAINER_ID_OFFSET = BLOCK.field(I64, "container_id", "random"),
      SESSION_ID_OFFSET = BLOCK.field(I64, "session_id", ""),
      CREATED_OFFSET = BLOCK.field(I64, "created", "milliseconds since the epoch"),
      NODE_OFFSET = BLOCK.fields(STRING, 259, "node", "the host's name, at most 255 bytes");
  public static final int MAX_NODE_LENGTH = 255;

  private ContainerDescriptor() {}
}
