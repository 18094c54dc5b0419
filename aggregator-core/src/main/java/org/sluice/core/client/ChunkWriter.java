package org.sluice.core.client;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.sluice.core.segment.AutoThreshold;
import org.sluice.core.segment.ChunkPool;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.Slot;

/**
 * The log of this process: appends records to the one open chunk of its slot and publishes it.
 *
 * <p>Thread-safe: the threads of this process take turns under the writer's monitor, so each slot
 * has one writer and each ring one producer. Publishing stores the chunk's state word and then the
 * ring record, both with release order. After it comes a full fence and a look at the flag of the
 * sleeping I/O process, see {@link org.sluice.core.segment.Header#isSleeping()}.
 */
final class ChunkWriter {
  private final Segment segment;
  private final ChunkPool pool;
  private final ChunkRing ring;
  private final Slot slot;
  private final SlotHold hold;
  private final int slotIndex;
  private final int rank;
  private final Doorbell doorbell;
  private final Patience patience;
  private final RoomCosts costs = new RoomCosts();

  private OpenChunk open;
  private int index;
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
    this.ring = new ChunkRing(segment.ring(slotIndex));
    this.slot = segment.slot(slotIndex);
    this.hold = new SlotHold(segment, slotIndex);
    this.slotIndex = slotIndex;
    this.rank = rank;
    this.doorbell = doorbell;
    this.patience = new Patience(segment, patience, doorbell);
  }

  /**
   * Appends a write, over as many chunks as it takes.
   *
   * @param image the image's id
   * @param offset where the bytes stand in the image
   * @param source the bytes; its position moves over what was appended
   * @return false when no chunk was to be had for all of it; how long to wait for one is for the
   *     header to say
   * @throws IOException when the I/O process or the slot is gone
   */
  synchronized boolean write(final int image, final long offset, final ByteBuffer source)
      throws IOException {
    hold.check();
    final int begin = source.position();
    final boolean waits = segment.header().whenFull() != HeaderDescriptor.WHEN_FULL_DIRECT;
    while (ensureOpen(waits)) {
      open.write(image, offset + source.position() - begin, source);
      if (!source.hasRemaining()) {
        slot.countAggregated(source.position() - begin);
        return true;
      }
      publish();
    }
    return false;
  }

  /**
   * Appends a record without payload.
   *
   * @param type {@link org.sluice.core.chunk.RecordDescriptor#TYPE_DIRECT} or {@code TYPE_TRUNCATE}
   * @param image the image's id
   * @param offset where the bytes stand in the image, or its new size
   * @param length how many they are, or 0
   * @param waits whether to wait for a chunk when none is free
   * @return false when no chunk was to be had
   * @throws IOException when the I/O process or the slot is gone
   */
  synchronized boolean mark(
      final int type, final int image, final long offset, final long length, final boolean waits)
      throws IOException {
    hold.check();
    while (ensureOpen(waits)) {
      if (open.mark(type, image, offset, length)) {
        return true;
      }
      publish();
    }
    return false;
  }

  /**
   * Counts a write that went to the image's own file.
   *
   * @param length bytes
   * @param nanos how long it took
   * @param reason why it went there
   */
  synchronized void countDirect(final long length, final long nanos, final Reason reason) {
    if (hold.isValid()) {
      slot.countDirect(length, reason);
    }
    if (length >= AutoThreshold.FLOOR) {
      costs.addDirect(nanos, length);
    }
  }

  /**
   * The size from which on a write goes direct now. While waiting for the drain costs less than
   * writing to the file, the auto policy sends nothing there.
   *
   * @return bytes
   */
  long threshold() {
    final boolean auto = segment.header().policy() == HeaderDescriptor.POLICY_AUTO;
    return auto && costs.favourWait() ? Long.MAX_VALUE : segment.header().effectiveThreshold();
  }

  /** Counts an image that went direct for want of a chunk. */
  synchronized void countFallback() {
    slot.countFallback();
  }

  /** Counts a write that went direct for want of a chunk. */
  synchronized void countOverflow() {
    slot.countOverflow();
  }

  /**
   * Hands the open chunk, if there is one, to the I/O process.
   *
   * @throws IOException when the I/O process or the slot is gone
   */
  synchronized void publish() throws IOException {
    if (open == null) {
      return;
    }
    hold.check();
    pool.publish(index);
    final int generation = ChunkStateDescriptor.generation(pool.word(index));
    while (!ring.offer(index, open.used(), open.sequence(), generation)) {
      wake();
      patience.pauseForReader();
      hold.check();
    }
    open = null;
    wake();
  }

  /**
   * Ends one opening of an image, behind everything that was published. Rings in any case, which
   * tells whether there still is an I/O process.
   *
   * @param image the image's id
   * @param opened when it began, in nanoseconds of the monotonic clock
   * @throws IOException when the I/O process or the slot is gone
   */
  synchronized void end(final int image, final long opened) throws IOException {
    hold.check();
    while (!ring.offerClose(image, opened, System.nanoTime())) {
      wake();
      patience.pauseForReader();
      hold.check();
    }
    doorbell.ringUntilHeard();
  }

  SlotHold hold() {
    return hold;
  }

  private void wake() throws IOException {
    VarHandle.fullFence();
    if (segment.header().isSleeping()) {
      doorbell.ring();
    }
  }

  private boolean ensureOpen(final boolean waits) throws IOException {
    if (open != null) {
      return true;
    }
    int claimed = pool.claim(slotIndex, index);
    long waited = 0;
    if (claimed < 0 && waits) {
      final long begin = System.nanoTime();
      claimed = awaitChunk();
      waited = System.nanoTime() - begin;
    }
    if (claimed < 0) {
      return false;
    }
    costs.addWait(waited, segment.geometry().chunkLength());
    index = claimed;
    open =
        new OpenChunk(
            segment.chunk(index), segment.header().sessionId(), ++sequence, slotIndex, rank);
    return true;
  }

  private int awaitChunk() throws IOException {
    wake();
    final long begin = patience.begin();
    int claimed = -1;
    while (claimed < 0 && patience.pauseForChunk()) {
      hold.check();
      claimed = pool.claim(slotIndex, index);
    }
    hold.check();
    slot.countWait(System.nanoTime() - begin);
    return claimed;
  }
}
