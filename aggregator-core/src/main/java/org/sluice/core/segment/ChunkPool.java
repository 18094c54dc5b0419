package org.sluice.core.segment;

import java.util.function.IntFunction;
import org.agrona.concurrent.AtomicBuffer;
import org.sluice.core.chunk.ChunkDescriptor;

/**
 * The chunks of a segment and their owners: a state word for each chunk.
 *
 * <p>No lock is shared between processes. A chunk is claimed by one compare-and-set from FREE to
 * OPEN with the claimer's slot in the same word, so of two claimers one wins and it is never in
 * doubt who owns a chunk, even if the owner dies on the next instruction. From then on the word has
 * one writer at a time: the owner, which publishes the chunk with a release store after all its
 * bytes, and then the I/O process, which frees it with a compare-and-set after it has read them. A
 * claimer's compare-and-set acquires that store, so it cannot overwrite bytes still being read. The
 * generation grows with every release: a ring record of an earlier use of the chunk is recognised.
 *
 * <p>The count of free chunks is kept beside the words and only steers policy: a process that dies
 * between its compare-and-set and its count leaves it one too high, until it is recounted.
 */
public final class ChunkPool {
  @FunctionalInterface
  public interface Visitor {
    /**
     * @param word its state word, which may be another one by now
     */
    void visit(int chunk, long word);
  }

  private static final long ABSENT = ChunkStateDescriptor.word(ChunkStateDescriptor.ABSENT, 0, -1);

  final AtomicBuffer states;
  final Header header;
  private final IntFunction<AtomicBuffer> chunks;
  private final int chunkCount;
  private volatile int withheld;

  /** The last error seen in the count of free chunks. */
  private int lastError;

  ChunkPool(
      final AtomicBuffer states, final Header header, final IntFunction<AtomicBuffer> chunks) {
    this.states = states;
    this.header = header;
    this.chunks = chunks;
    this.chunkCount = states.capacity() / ChunkStateDescriptor.LENGTH;
  }

  /** Begins with no chunk that has memory; {@link #provide} frees each one that gets it. */
  void init() {
    for (int chunk = 0; chunk < chunkCount; chunk++) {
      states.putLong(offset(chunk), ABSENT);
    }
  }

  /** Frees a chunk that has memory now; waiting processes see it as a release. */
  void provide(final int chunk) {
    if (ChunkStateDescriptor.state(word(chunk)) != ChunkStateDescriptor.ABSENT) {
      return; // a former I/O process did
    }
    states.putLongRelease(
        offset(chunk), ChunkStateDescriptor.word(ChunkStateDescriptor.FREE, 0, 0));
  }

  /**
   * Hands an open chunk over to the drain, on behalf of an owner proven dead. I/O process only.
   *
   * @param word its state word, as it was read before
   */
  public void publish(final int chunk, final long word) {
    states.putLongRelease(
        offset(chunk),
        ChunkStateDescriptor.word(
            ChunkStateDescriptor.PUBLISHED,
            ChunkStateDescriptor.slot(word),
            ChunkStateDescriptor.generation(word)));
  }

  /**
   * Frees a published chunk, one generation later. Called by the I/O process. The used length
   * becomes 0 first: until its next owner has finished the header, the chunk reads as empty.
   *
   * <p>A process may have overwritten the word of its chunk since, and so made it another
   * process's, which keeps it.
   *
   * @param published its state word when it went into the drain
   * @return false when the chunk is no longer its owner's, and nothing was done
   */
  public boolean release(final int chunk, final long published) {
    final long word = word(chunk);
    if (!isOwned(word) || ChunkStateDescriptor.slot(word) != ChunkStateDescriptor.slot(published)) {
      return false;
    }
    chunks.apply(chunk).putInt(ChunkDescriptor.USED_OFFSET, 0);
    final int next = ChunkStateDescriptor.generation(published) + 1;
    final long free = ChunkStateDescriptor.word(ChunkStateDescriptor.FREE, 0, next);
    if (!states.compareAndSetLong(offset(chunk), word, free)) {
      return false;
    }
    header.addFreeChunks(1);
    return true;
  }

  /** Notes that chunks will never have memory. I/O process only. */
  void withhold(final int count) {
    withheld = count;
    header.addFreeChunks(-count);
  }

  /**
   * Corrects the count of free chunks, which a process that was killed beside its count left wrong.
   * Called by the I/O process from time to time. A process between its compare-and-set and its
   * count looks like an error here, but hardly twice in a row; if it does, the next calls undo it.
   */
  public void recount() {
    final int error = (int) (countFree() - header.freeChunks());
    if (error == lastError) {
      header.addFreeChunks(error);
    }
    lastError = error == lastError ? 0 : error;
  }

  private int countFree() {
    int free = -withheld;
    for (int chunk = 0; chunk < chunkCount; chunk++) {
      final int state = ChunkStateDescriptor.state(word(chunk));
      free += state == ChunkStateDescriptor.FREE || state == ChunkStateDescriptor.ABSENT ? 1 : 0;
    }
    return free;
  }

  /**
   * The state word of a chunk, read with acquire order.
   *
   * @param chunk 0 to {@link #chunkCount()} - 1
   */
  public long word(final int chunk) {
    return states.getLongAcquire(offset(chunk));
  }

  public int chunkCount() {
    return chunkCount;
  }

  /** Visits the chunks that a slot has open or published and the drain has not released. */
  public void ownedBy(final int slot, final Visitor visitor) {
    for (int chunk = 0; chunk < chunkCount; chunk++) {
      final long word = word(chunk);
      if (isOwned(word) && ChunkStateDescriptor.slot(word) == slot) {
        visitor.visit(chunk, word);
      }
    }
  }

  /**
   * Tells whether a chunk has an owner, whatever that has made of the word, unless it freed the
   * chunk.
   */
  private static boolean isOwned(final long word) {
    return ChunkStateDescriptor.state(word) != ChunkStateDescriptor.FREE && word != ABSENT;
  }

  static int offset(final int chunk) {
    return chunk * ChunkStateDescriptor.LENGTH;
  }
}
