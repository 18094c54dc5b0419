package org.sluice.core.chunk;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.I64;
import static org.sluice.core.format.Field.Type.SHARED_I64;

import org.sluice.core.format.Structure;

/** Layout of a record in a chunk. */
public final class RecordDescriptor {
  /** Bytes of a record without its payload. */
  public static final int HEADER_LENGTH = 24;

  /** Records begin at multiples of this. */
  public static final int ALIGNMENT = 8;

  public static final Structure RECORD = new Structure("record", HEADER_LENGTH);

  public static final int TYPE_OFFSET = RECORD.field(I32, "type", "1 WRITE, 2 DIRECT, 3 TRUNCATE"),
      IMAGE_ID_OFFSET = RECORD.field(I32, "image_id", ""),
      OFFSET_OFFSET = RECORD.field(I64, "offset", "in the image, bytes"),
      LENGTH_OFFSET = RECORD.field(SHARED_I64, "length", "bytes");

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
