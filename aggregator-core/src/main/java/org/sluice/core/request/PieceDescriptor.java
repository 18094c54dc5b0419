package org.sluice.core.request;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.I64;

import org.sluice.core.format.Structure;

/** Layout of the header of each piece of an image in the pipe to a process that reads it. */
public final class PieceDescriptor {
  public static final int LENGTH = 24;

  public static final Structure PIECE = new Structure("piece", LENGTH);

  public static final int
      TYPE_OFFSET = PIECE.field(I32, "type", "1 BYTES, 2 ZEROS, 3 END, 4 FAILED"),
      ERROR_OFFSET = PIECE.field(I32, "error", "errno of FAILED"),
      OFFSET_OFFSET = PIECE.field(I64, "offset", "in the image, bytes; of END its size"),
      LENGTH_OFFSET =
          PIECE.field(I64, "length", "bytes of the piece; of FAILED those of a sentence");

  /** Type: so many bytes follow. */
  public static final int TYPE_BYTES = 1;

  /** Type: so many bytes are zero. */
  public static final int TYPE_ZEROS = 2;

  /** Type: all bytes of the image were told. */
  public static final int TYPE_END = 3;

  /** Type: the image cannot be read; a sentence follows. */
  public static final int TYPE_FAILED = 4;

  private PieceDescriptor() {}
}
