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
    final int record = ring.tryClaim(RingDescriptor.TYPE_CHUNK, RingDescriptor.BODY_LENGTH);
    if (record == RingBuffer.INSUFFICIENT_CAPACITY) {
      return false;
    }
    ring.buffer().putInt(record + RingDescriptor.CHUNK_OFFSET, chunk);
    ring.buffer().putInt(record + RingDescriptor.USED_OFFSET, used);
    ring.buffer().putLong(record + RingDescriptor.SEQUENCE_OFFSET, sequence);
    ring.buffer()
        .putLong(record + RingDescriptor.GENERATION_OFFSET, Integer.toUnsignedLong(generation));
    ring.commit(record);
    return true;
  }
}
