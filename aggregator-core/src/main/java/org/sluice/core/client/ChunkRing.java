package org.sluice.core.client;

import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.sluice.core.segment.RingDescriptor;

/**
 * The producer's end of a slot's ring. Not thread-safe: one thread at a time offers. A record is
 * committed with release order, so whoever reads it sees the chunk it stands for.
 */
final class ChunkRing {
  private final OneToOneRingBuffer ring;

  ChunkRing(final OneToOneRingBuffer ring) {
    this.ring = ring;
  }

  /**
   * Publishes a chunk.
   *
   * @param chunk the chunk's index
   * @param used its used length
   * @param sequence its sequence within the slot
   * @param generation the generation in its state word
   * @return false when the ring is full
   */
  boolean offer(final int chunk, final int used, final long sequence, final int generation) {
    return offer(
        RingDescriptor.TYPE_CHUNK, chunk, used, sequence, Integer.toUnsignedLong(generation));
  }

  /**
   * Says that one opening of an image has ended.
   *
   * @param image the image's id
   * @param opened when it began, in nanoseconds of the monotonic clock
   * @param closed when it ended
   * @return false when the ring is full
   */
  boolean offerClose(final int image, final long opened, final long closed) {
    return offer(RingDescriptor.TYPE_CLOSE, image, 0, opened, closed);
  }

  /** Both records are two numbers of 32 bits and two of 64. */
  private boolean offer(
      final int type, final int first, final int second, final long third, final long fourth) {
    final int record = ring.tryClaim(type, RingDescriptor.BODY_LENGTH);
    if (record == RingBuffer.INSUFFICIENT_CAPACITY) {
      return false;
    }
    ring.buffer().putInt(record + RingDescriptor.CHUNK_OFFSET, first);
    ring.buffer().putInt(record + RingDescriptor.USED_OFFSET, second);
    ring.buffer().putLong(record + RingDescriptor.SEQUENCE_OFFSET, third);
    ring.buffer().putLong(record + RingDescriptor.GENERATION_OFFSET, fourth);
    ring.commit(record);
    return true;
  }
}
