package org.sluice.core.store;

/**
 * Layout of a container's header block.
 *
 * <pre>
 *  +-------------------------------+---------------+---------------+
 *  | magic "SLUICDAT"              | version       | crc           | 0
 *  +-------------------------------+---------------+---------------+
 *  | container id                  | session id                    | 16
 *  +-------------------------------+---------------+---------------+
 *  | created                       | node (string) ...             | 32
 *  +-------------------------------+-------------------------------+
 * </pre>
 *
 * The crc covers the block with the crc itself taken as 0.
 */
final class ContainerDescriptor {
  /** {@code SLUICDAT} read as a little-endian 64-bit integer. */
  static final long MAGIC = 0x5441_4443_4955_4C53L;

  static final int VERSION = 1;

  /** Bytes of the header block; chunks begin at multiples of it. */
  static final int BLOCK_LENGTH = 4096;

  static final int MAGIC_OFFSET = 0;
  static final int VERSION_OFFSET = MAGIC_OFFSET + 8;
  static final int CRC_OFFSET = VERSION_OFFSET + 4;
  static final int CONTAINER_ID_OFFSET = CRC_OFFSET + 4;
  static final int SESSION_ID_OFFSET = CONTAINER_ID_OFFSET + 8;
  static final int CREATED_OFFSET = SESSION_ID_OFFSET + 8;
  static final int NODE_OFFSET = CREATED_OFFSET + 8;
  static final int MAX_NODE_LENGTH = 255;

  private ContainerDescriptor() {}
}
