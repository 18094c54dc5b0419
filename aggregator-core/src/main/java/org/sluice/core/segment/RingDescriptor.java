package org.sluice.core.segment;

import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Layout of the rings: Agrona's {@code OneToOneRingBuffer} with records of one size.
 *
 * <pre>
 *  +---------------+---------------+---------------+---------------+
 *  | length (32)   | type          | chunk         | used          | 0
 *  +---------------+---------------+---------------+---------------+
 *  | sequence                      | generation                    | 16
 *  +-------------------------------+-------------------------------+
 *  +---------------+---------------+---------------+---------------+
 *  | length (32)   | type          | image id      | reserved      | 0
 *  +---------------+---------------+---------------+---------------+
 *  | opened                        | closed                        | 16
 *  +-------------------------------+-------------------------------+
 * </pre>
 *
 * Record and capacity are powers of two, so a record never wraps and padding never occurs.
 */
public final class RingDescriptor {
  /** Bytes of a record with its header. */
  public static final int RECORD_LENGTH = 32;

  /** Bytes of a record without its header. */
  public static final int BODY_LENGTH = 24;

  /** Bytes of the records of a ring. */
  public static final int CAPACITY = 32 * 1024;

  /** Bytes of a ring with its trailer. */
  public static final int LENGTH = CAPACITY + RingBufferDescriptor.TRAILER_LENGTH;

  /** Offset of the tail position behind the records, 64 bits; the producer's. */
  public static final int TAIL_POSITION_OFFSET = RingBufferDescriptor.TAIL_POSITION_OFFSET;

  /** Offset of the producer's copy of the head position behind the records, 64 bits. */
  public static final int HEAD_CACHE_POSITION_OFFSET =
      RingBufferDescriptor.HEAD_CACHE_POSITION_OFFSET;

  /** Offset of the head position behind the records, 64 bits; the consumer's. */
  public static final int HEAD_POSITION_OFFSET = RingBufferDescriptor.HEAD_POSITION_OFFSET;

  /** Record type: a published chunk. */
  public static final int TYPE_CHUNK = 1;

  /** Offset of the chunk index in the body, 32 bits. */
  public static final int CHUNK_OFFSET = 0;

  /** Offset of the used length of the chunk in the body, 32 bits. */
  public static final int USED_OFFSET = CHUNK_OFFSET + 4;

  /** Offset of the chunk's sequence in the body, 64 bits. */
  public static final int SEQUENCE_OFFSET = USED_OFFSET + 4;

  /** Offset of the chunk's generation in the body, 64 bits. */
  public static final int GENERATION_OFFSET = SEQUENCE_OFFSET + 8;

  /** Record type: one opening of an image has ended. */
  public static final int TYPE_CLOSE = 2;

  /** Offset of the image's id in the body, 32 bits. */
  public static final int IMAGE_ID_OFFSET = 0;

  /** Offset of the time of the opening in the body, 64 bits: {@code CLOCK_MONOTONIC}, ns. */
  public static final int OPENED_OFFSET = IMAGE_ID_OFFSET + 8;

  /** Offset of the time of the end in the body, 64 bits: {@code CLOCK_MONOTONIC}, ns. */
  public static final int CLOSED_OFFSET = OPENED_OFFSET + 8;

  private RingDescriptor() {}
}
