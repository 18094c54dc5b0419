package org.sluice.core.segment;

import static org.sluice.core.format.Field.Type.I32;
import static org.sluice.core.format.Field.Type.I64;
import static org.sluice.core.format.Field.Type.SHARED_I32;
import static org.sluice.core.format.Field.Type.SHARED_I64;
import static org.sluice.core.format.Structure.AP;
import static org.sluice.core.format.Structure.IOP;

import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.sluice.core.format.Structure;

/**
 * Layout of the rings: Agrona's {@code OneToOneRingBuffer} with records of one size.
 *
 * <p>Record and capacity are powers of two, so a record never wraps and padding never occurs.
 */
public final class RingDescriptor {
  public static final int RECORD_LENGTH = 32;

  public static final int HEADER_LENGTH = 8;

  public static final int BODY_LENGTH = RECORD_LENGTH - HEADER_LENGTH;

  /** Bytes of the records of a ring. */
  public static final int CAPACITY = 32 * 1024;

  public static final int LENGTH = CAPACITY + RingBufferDescriptor.TRAILER_LENGTH;

  /** Record type: a published chunk. */
  public static final int TYPE_CHUNK = 1;

  /** Record type: one opening of an image has ended. */
  public static final int TYPE_CLOSE = 2;

  /** Record type: the process has entered a file as an image. NAME records follow. */
  public static final int TYPE_OPEN = 3;

  /** Record type: a part of the name of the OPEN before. */
  public static final int TYPE_NAME = 4;

  /** Longest name behind an OPEN, in bytes. */
  public static final int MAX_NAME_LENGTH = 1024;

  public static final Structure RECORD = new Structure("ring_record", HEADER_LENGTH);

  static {
    RECORD.field(SHARED_I32, "length", "32; stored last (release)");
    RECORD.field(I32, "type", "1 CHUNK, 2 CLOSE, 3 OPEN, 4 NAME");
  }

  /** The body of a CHUNK: a chunk is published. */
  public static final Structure CHUNK = new Structure("ring_chunk", BODY_LENGTH);

  public static final int CHUNK_OFFSET = CHUNK.field(I32, "chunk", "its index"),
      USED_OFFSET = CHUNK.field(I32, "used", "bytes of the chunk"),
      SEQUENCE_OFFSET = CHUNK.field(I64, "sequence", "of the chunk within its slot"),
      GENERATION_OFFSET = CHUNK.field(I64, "generation", "of the chunk's state");

  /** The body of a CLOSE: an opening of an image has ended. */
  public static final Structure CLOSE = new Structure("ring_close", BODY_LENGTH);

  public static final int IMAGE_ID_OFFSET = CLOSE.field(I32, "image_id", ""),
      RESERVED_OFFSET = CLOSE.field(I32, "reserved", "0"),
      OPENED_OFFSET = CLOSE.field(I64, "opened", "when it began (`CLOCK_MONOTONIC`, ns)"),
      CLOSED_OFFSET = CLOSE.field(I64, "closed", "when it ended");

  /** The body of an OPEN: the process has entered a file that it created. */
  public static final Structure OPEN = new Structure("ring_open", BODY_LENGTH);

  public static final int OPEN_IMAGE_OFFSET = OPEN.field(I32, "open_image", "the image's id"),
      ENTRY_OFFSET = OPEN.field(I32, "entry", "index in the image table"),
      DESCRIPTOR_OFFSET = OPEN.field(I32, "descriptor", "the process has the file open by it"),
      NAME_LENGTH_OFFSET = OPEN.field(I32, "name_length", "bytes, 1 to 1024; 24 in each NAME"),
      BEGAN_OFFSET = OPEN.field(I64, "began", "when it was opened (`CLOCK_MONOTONIC`, ns)");

  /** The trailer behind the records of a ring; offsets are from the end of its capacity. */
  public static final Structure TRAILER =
      new Structure("ring_trailer", RingBufferDescriptor.TRAILER_LENGTH);

  /** Offsets of its fields, which are Agrona's. */
  public static final int
      TAIL_POSITION_OFFSET =
          TRAILER.by(AP).at(128).field(SHARED_I64, "tail", "position behind the last record"),
      HEAD_CACHE_POSITION_OFFSET =
          TRAILER.at(256).field(I64, "head_cache", "where it last saw the head"),
      HEAD_POSITION_OFFSET =
          TRAILER.by(IOP).at(384).field(SHARED_I64, "head", "position behind the last record read");

  private RingDescriptor() {}
}
