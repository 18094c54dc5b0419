package org.sluice.iop.service;

import java.util.Comparator;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.collections.IntArrayList;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.segment.ChunkPool;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.measure.Warnings;

/**
 * Takes published chunks, and the ends of openings, off the rings. A ring belongs to its process
 * and may hold anything, so a record counts only if the chunk's state word agrees with it. Service
 * thread only.
 */
final class Rings {
  /**
   * A record that says that an opening has ended.
   *
   * @param imageId the image
   * @param opened when it began, in nanoseconds of the monotonic clock
   * @param closed when it ended
   * @param position of the ring behind the record
   */
  record Close(int imageId, long opened, long closed, long position) {}

  /** Learns of openings that have ended. */
  @FunctionalInterface
  interface Closing {
    void closed(Attachment attachment, Close close);
  }

  private static final int LIMIT = 64;

  /** What a full ring holds, and so whatever was published when a poll begins. */
  private static final int MOST = RingDescriptor.CAPACITY / RingDescriptor.RECORD_LENGTH;

  private final Segment segment;
  private final ChunkPool pool;
  private final Drain drain;
  private final Closing closing;

  private Attachment polled;

  Rings(final Segment segment, final Drain drain, final Closing closing) {
    this.segment = segment;
    this.pool = segment.chunkPool();
    this.drain = drain;
    this.closing = closing;
  }

  /**
   * Takes what a process has published. One that publishes without end does not keep the others
   * waiting.
   *
   * @return how many records
   */
  int poll(final Attachment attachment) {
    int total = 0;
    int count;
    do {
      count = attachment.isCorrupt() ? 0 : read(attachment);
      total += count;
    } while (count > 0 && total < MOST);
    return total;
  }

  private int read(final Attachment attachment) {
    polled = attachment;
    try {
      checkPosition(attachment);
      final int count = attachment.ring().read(this::receive, LIMIT);
      attachment.position(attachment.position() + count * RingDescriptor.RECORD_LENGTH);
      return count;
    } catch (final RuntimeException e) {
      refuse(attachment, e.toString());
      return 0;
    }
  }

  private static void checkPosition(final Attachment attachment) {
    final long head = attachment.ring().consumerPosition();
    if (head != attachment.position()) {
      throw new IllegalArgumentException(
          "position=%d expected=%d".formatted(head, attachment.position()));
    }
  }

  private void receive(
      final int type, final MutableDirectBuffer buffer, final int offset, final int length) {
    if (type == RingDescriptor.TYPE_CHUNK && length == RingDescriptor.BODY_LENGTH) {
      receiveChunk(buffer, offset);
    } else if (type == RingDescriptor.TYPE_CLOSE && length == RingDescriptor.BODY_LENGTH) {
      closing.closed(
          polled,
          new Close(
              buffer.getInt(offset + RingDescriptor.IMAGE_ID_OFFSET),
              buffer.getLong(offset + RingDescriptor.OPENED_OFFSET),
              buffer.getLong(offset + RingDescriptor.CLOSED_OFFSET),
              positionBehind(offset)));
    } else {
      throw new IllegalArgumentException("record type=%d length=%d".formatted(type, length));
    }
  }

  private void receiveChunk(final DirectBuffer buffer, final int offset) {
    final int chunk = buffer.getInt(offset + RingDescriptor.CHUNK_OFFSET);
    final int used = buffer.getInt(offset + RingDescriptor.USED_OFFSET);
    if (chunk >= 0 && chunk < pool.chunkCount() && used >= ChunkDescriptor.HEADER_LENGTH) {
      final long word = pool.word(chunk); // once: a mad owner may make it another's at any time
      if (isPublished(chunk, word, buffer, offset)) {
        drain.publish(polled.index(), chunk, word, used, positionBehind(offset));
        return;
      }
    }
    throw new IllegalArgumentException("record chunk=%d used=%d".formatted(chunk, used));
  }

  /** The ring's head stays where it is while records are handed out; they do not wrap. */
  private long positionBehind(final int offset) {
    final long head = polled.position();
    final long record = offset - RecordDescriptor.HEADER_LENGTH;
    return head - head % RingDescriptor.CAPACITY + record + RingDescriptor.RECORD_LENGTH;
  }

  private boolean isPublished(
      final int chunk, final long word, final DirectBuffer record, final int offset) {
    return ChunkStateDescriptor.state(word) == ChunkStateDescriptor.PUBLISHED
        && ChunkStateDescriptor.slot(word) == polled.index()
        && Integer.toUnsignedLong(ChunkStateDescriptor.generation(word))
            == record.getLong(offset + RingDescriptor.GENERATION_OFFSET)
        && !isTaken(chunk, word);
  }

  /** Looks at the word again, in case the chunk was released while it was looked for. */
  private boolean isTaken(final int chunk, final long word) {
    return drain.has(chunk, word)
        || ChunkStateDescriptor.generation(pool.word(chunk))
            != ChunkStateDescriptor.generation(word);
  }

  private void refuse(final Attachment attachment, final String reason) {
    attachment.corrupt();
    final IllegalArgumentException damage =
        new IllegalArgumentException("the ring of %s is damaged: %s".formatted(attachment, reason));
    Warnings.warn(damage.getMessage());
    attachment.images().keySet().forEach(image -> image.fail(damage));
  }

  /**
   * The chunks that a process has and that are not in the drain: its open chunk, and one that it
   * published without having told yet.
   *
   * @return in program order
   */
  int[] unpublished(final Attachment attachment) {
    final IntArrayList chunks = new IntArrayList();
    pool.ownedBy(
        attachment.index(),
        (chunk, word) -> {
          if (!isTaken(chunk, word)) {
            chunks.addInt(chunk);
          }
        });
    return IntStream.of(chunks.toIntArray())
        .boxed()
        .sorted(Comparator.comparingLong(this::sequence))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private long sequence(final int chunk) {
    return segment.chunk(chunk).getLong(ChunkDescriptor.SEQUENCE_OFFSET);
  }

  /** Takes over all chunks of a process that does not run any more. */
  void adopt(final Attachment attachment) {
    for (final int chunk : unpublished(attachment)) {
      if (ChunkStateDescriptor.state(pool.word(chunk)) != ChunkStateDescriptor.PUBLISHED) {
        pool.publish(chunk);
      }
      drain.adopt(attachment.index(), chunk);
    }
  }
}
