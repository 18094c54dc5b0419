package org.sluice.core.chunk;

/**
 * Layout of a record in a chunk.
 *
 * <pre>
 *  +---------------+---------------+-------------------------------+
 *  | type          | image id      | offset                        | 0
 *  +---------------+---------------+-------------------------------+
 *  | length                        | payload, padded to 8 ...        16
 * </pre>
 */
public final class RecordDescriptor {
  /** Bytes of a record without its payload. */
  public static final int HEADER_LENGTH = 24;

  /** Records begin at multiples of this. */
  public static final int ALIGNMENT = 8;

  /** Offset of the type, 32 bits. */
  public static final int TYPE_OFFSET = 0;

  /** Offset of the image id, 32 bits. */
  public static final int IMAGE_ID_OFFSET = TYPE_OFFSET + 4;

  /** Offset of the offset in the image, 64 bits. */
  public static final int OFFSET_OFFSET = IMAGE_ID_OFFSET + 4;

  /** Offset of the length, 64 bits. */
  public static final int LENGTH_OFFSET = OFFSET_OFFSET + 8;

  /** Type: the payload stands at the offset. */
  public static final int TYPE_WRITE = 1;

  /** Type: the image's own file holds the bytes at the offset. */
  public static final int TYPE_DIRECT = 2;

  /** Type: the image is as long as the offset from here on. */
  public static final int TYPE_TRUNCATE = 3;

  /** No record reaches further into its image: 1 EiB, more than any file has. */
  public static final long MAX_END = 1L << 60;

  private RecordDescriptor() {}
}
