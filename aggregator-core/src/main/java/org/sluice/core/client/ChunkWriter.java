package org.sluice.core.client;

import static org.agrona.BitUtil.align;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.segment.ChunkPool;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.Slot;

/**
 * Appends records to the one open chunk of a slot and publishes it.
 *
 * <p>The threads of this process take turns under the writer's monitor, so each slot has one writer
 * and each ring one producer. The I/O process may read the open chunk at any time: it loads {@code
 * used} with acquire order and looks at nothing behind it. So bytes are stored first and {@code
 * used} last, with release order. A write that continues the last record stores its payload, then
 * the record's length, then {@code used}; a reader that meets the new length with the old {@code
 * used} clamps the record. A free chunk's {@code used} is 0, so a chunk just claimed reads as empty
 * until its header is complete. Publishing stores the state word and then the ring record, both
 * with release order: who sees the record sees the chunk.
 */
final class ChunkWriter {
  private final Segment segment;
  private final ChunkPool pool;
  private final OneToOneRingBuffer ring;
  private final Slot slot;
  private final int slotIndex;
  private final int rank;
  private final Doorbell doorbell;
  private final Patience patience;

  private final UnsafeBuffer chunk = new UnsafeBuffer(0, 0);
  private boolean open;
  private int index;
  private int used;
  private int last;
  private long sequence;

  /**
   * A writer with no chunk open yet.
   *
   * @param segment the segment; the caller keeps it mapped
   * @param slotIndex the slot of this process
   * @param rank the rank of this process, -1 unknown
   * @param doorbell rung when the I/O process sleeps
   * @param patience how long to wait for a chunk while the drain makes no progress
   */
  ChunkWriter(
      final Segment segment,
      final int slotIndex,
      final int rank,
      final Doorbell doorbell,
      final Duration patience) {
    this.segment = segment;
    this.pool = segment.chunkPool();
    this.ring = segment.ring(slotIndex);
    this.slot = segment.slot(slotIndex);
    this.slotIndex = slotIndex;
    this.rank = rank;
    this.doorbell = doorbell;
    this.patience = new Patience(segment, patience);
  }

  /**
   * Appends a write, over as many chunks as it takes.
   *
   * @param image the image's id
   * @param offset where the bytes stand in the image
   * @param source the bytes; its position moves over what was appended
   * @return false when no chunk was to be had for all of it
   * @throws IOException when the I/O process is gone
   */
  synchronized boolean write(final int image, final long offset, final ByteBuffer source)
      throws IOException {
    final int begin = source.position();
    while (source.hasRemaining()) {
      final long at = offset + source.position() - begin;
      if (used == chunk.capacity() || !continues(RecordDescriptor.TYPE_WRITE, image, at)) {
        if (!makeRoom(1)) {
          return false;
        }
        beginRecord(RecordDescriptor.TYPE_WRITE, image, at, 0);
      }
      extend(source);
    }
    slot.countAggregated(source.position() - begin);
    return true;
  }

  /**
   * Appends a record without payload, or extends the last one.
   *
   * @param type {@link RecordDescriptor#TYPE_DIRECT} or {@link RecordDescriptor#TYPE_TRUNCATE}
   * @param image the image's id
   * @param offset where the bytes stand in the image, or its new size
   * @param length how many they are, or 0
   * @return false when no chunk was to be had
   * @throws IOException when the I/O process is gone
   */
  synchronized boolean mark(final int type, final int image, final long offset, final long length)
      throws IOException {
    if (type == RecordDescriptor.TYPE_DIRECT && continues(type, image, offset)) {
      lengthen(length);
      return true;
    }
    if (!makeRoom(0)) {
      return false;
    }
    beginRecord(type, image, offset, length);
    used(used);
    return true;
  }

  /**
   * Counts a write that went to the image's own file.
   *
   * @param length bytes
   */
  synchronized void countDirect(final long length) {
    slot.countDirect(length);
  }

  /** Counts an image that went direct for want of a chunk. */
  synchronized void countFallback() {
    slot.countFallback();
  }

  /**
   * Hands the open chunk, if there is one, to the I/O process.
   *
   * @throws IOException when the I/O process is gone
   */
  synchronized void publish() throws IOException {
    if (!open) {
      return;
    }
    final int record = claimRingRecord();
    pool.publish(index);
    ring.buffer().putInt(record + RingDescriptor.CHUNK_OFFSET, index);
    ring.buffer().putInt(record + RingDescriptor.USED_OFFSET, used);
    ring.buffer().putLong(record + RingDescriptor.SEQUENCE_OFFSET, sequence);
    final int generation = ChunkStateDescriptor.generation(pool.word(index));
    ring.buffer()
        .putLong(record + RingDescriptor.GENERATION_OFFSET, Integer.toUnsignedLong(generation));
    ring.commit(record);
    open = false;
    last = 0;
    wake();
  }

  /** The ring holds more chunks than most pools do; one that is full empties or its reader died. */
  private int claimRingRecord() throws IOException {
    int record = ring.tryClaim(RingDescriptor.TYPE_CHUNK, RingDescriptor.BODY_LENGTH);
    if (record == RingBuffer.INSUFFICIENT_CAPACITY) {
      wake();
      patience.begin();
      do {
        patience.pauseForReader();
        record = ring.tryClaim(RingDescriptor.TYPE_CHUNK, RingDescriptor.BODY_LENGTH);
      } while (record == RingBuffer.INSUFFICIENT_CAPACITY);
    }
    return record;
  }

  /** The full fence orders what was published before the look at the flag, see Header. */
  private void wake() throws IOException {
    VarHandle.fullFence();
    if (segment.header().isSleeping()) {
      doorbell.ring();
    }
  }

  /** Sees to an open chunk with room for a record and some payload. */
  private boolean makeRoom(final int payload) throws IOException {
    final int start = align(used, RecordDescriptor.ALIGNMENT);
    if (open && start + RecordDescriptor.HEADER_LENGTH + payload <= chunk.capacity()) {
      return true;
    }
    publish();
    int claimed = pool.claim(slotIndex, index);
    if (claimed < 0) {
      claimed = awaitChunk();
    }
    if (claimed < 0) {
      return false;
    }
    openChunk(claimed);
    return true;
  }

  private int awaitChunk() throws IOException {
    wake();
    final long begin = patience.begin();
    int claimed = -1;
    while (claimed < 0 && patience.pauseForChunk()) {
      claimed = pool.claim(slotIndex, index);
    }
    slot.countWait(System.nanoTime() - begin);
    return claimed;
  }

  private void openChunk(final int claimed) {
    index = claimed;
    segment.wrapChunk(claimed, chunk);
    chunk.putInt(ChunkDescriptor.MAGIC_OFFSET, ChunkDescriptor.MAGIC);
    chunk.putInt(ChunkDescriptor.VERSION_OFFSET, ChunkDescriptor.VERSION);
    chunk.putLong(ChunkDescriptor.SESSION_ID_OFFSET, segment.header().sessionId());
    chunk.putLong(ChunkDescriptor.SEQUENCE_OFFSET, ++sequence);
    chunk.putInt(ChunkDescriptor.SLOT_OFFSET, slotIndex);
    chunk.putInt(ChunkDescriptor.RANK_OFFSET, rank);
    open = true;
    last = 0;
    used(ChunkDescriptor.HEADER_LENGTH);
  }

  private boolean continues(final int type, final int image, final long offset) {
    return last != 0
        && chunk.getInt(last + RecordDescriptor.IMAGE_ID_OFFSET) == image
        && chunk.getInt(last + RecordDescriptor.TYPE_OFFSET) == type
        && chunk.getLong(last + RecordDescriptor.OFFSET_OFFSET)
                + chunk.getLong(last + RecordDescriptor.LENGTH_OFFSET)
            == offset;
  }

  /** Begins a record behind the last one; it counts once {@code used} covers it. */
  private void beginRecord(final int type, final int image, final long offset, final long length) {
    last = align(used, RecordDescriptor.ALIGNMENT);
    chunk.setMemory(used, last - used, (byte) 0);
    chunk.putInt(last + RecordDescriptor.TYPE_OFFSET, type);
    chunk.putInt(last + RecordDescriptor.IMAGE_ID_OFFSET, image);
    chunk.putLong(last + RecordDescriptor.OFFSET_OFFSET, offset);
    chunk.putLong(last + RecordDescriptor.LENGTH_OFFSET, length);
    used = last + RecordDescriptor.HEADER_LENGTH;
  }

  private void extend(final ByteBuffer source) {
    final int count = Math.min(source.remaining(), chunk.capacity() - used);
    chunk.putBytes(used, source, source.position(), count);
    source.position(source.position() + count);
    lengthen(count);
    used(used + count);
  }

  private void lengthen(final long length) {
    final int offset = last + RecordDescriptor.LENGTH_OFFSET;
    chunk.putLongRelease(offset, chunk.getLong(offset) + length);
  }

  private void used(final int length) {
    used = length;
    chunk.putIntRelease(ChunkDescriptor.USED_OFFSET, length);
  }
}
