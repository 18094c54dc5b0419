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
 * <p>The process that needs memory makes it. A process turns ABSENT to MAKING by compare-and-set
 * and that to OPEN, likewise, once the memory is there. The I/O process makes the memory first,
 * whose pages are there for all, and then frees the chunk by compare-and-set: if that fails another
 * process made it as well, and has the chunk. To give memory back the I/O process turns FREE, or
 * ABSENT, to MAKING in nobody's name, so that no process claims a chunk whose pages are going. Of
 * the I/O process one thread does both, so it never frees what it is giving back.
 *
 * <p>The counts of free and of absent chunks are kept beside the words and only steer policy: a
 * process that dies between its compare-and-set and its count leaves one too high, until it is
 * recounted.
 */
public final class ChunkPool {
  @FunctionalInterface
  public interface Visitor {
    /**
     * @param word its state word, which may be another one by now
     */
    void visit(int chunk, long word);
  }

  /** Gives a run of chunks that nobody else touches meanwhile their memory back. */
  @FunctionalInterface
  interface Remover {
    /**
     * Removes the pages of chunks.
     *
     * @param first the first chunk
     * @param count number of chunks
     */
    void remove(int first, int count);
  }

  final AtomicBuffer states;
  final Header header;
  private final IntFunction<AtomicBuffer> chunks;
  private final int chunkCount;

  /** The last errors seen in the counts of free and of absent chunks. */
  private int lastFreeError;

  private int lastAbsentError;

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
      states.putLong(offset(chunk), absent(-1));
    }
  }

  private static long absent(final int generation) {
    return ChunkStateDescriptor.word(
        ChunkStateDescriptor.ABSENT, ChunkStateDescriptor.NOBODY, generation);
  }

  /** Frees a chunk that has memory now; waiting processes see it as a release. */
  void provide(final int chunk) {
    final long word = word(chunk);
    final int next = ChunkStateDescriptor.generation(word) + 1;
    if (ChunkStateDescriptor.state(word) == ChunkStateDescriptor.ABSENT
        && states.compareAndSetLong(
            offset(chunk), word, ChunkStateDescriptor.word(ChunkStateDescriptor.FREE, 0, next))) {
      header.addAbsentChunks(-1);
      header.addFreeChunks(1);
    }
  }

  /** Finds the first chunk without memory; -1 for none. */
  int firstAbsent() {
    for (int chunk = 0; chunk < chunkCount; chunk++) {
      if (ChunkStateDescriptor.state(word(chunk)) == ChunkStateDescriptor.ABSENT) {
        return chunk;
      }
    }
    return -1;
  }

  /**
   * Takes the memory of the first run of chunks that nobody uses. Chunks without memory are in it,
   * since a process that was killed or refused while it made one has left pages there. Called by
   * the thread that calls {@link #provide}.
   *
   * @param first the chunk to begin at
   * @param most number of chunks that are taken away from processes at a time
   * @return the chunk to go on at; the number of chunks when none is left
   */
  int giveBack(final int first, final int most, final Remover remover) {
    int begin = first;
    while (begin < chunkCount && !takeUnused(begin)) {
      begin++;
    }
    if (begin == chunkCount) {
      return chunkCount;
    }
    int end = begin + 1;
    while (end < chunkCount && end - begin < most && takeUnused(end)) {
      end++;
    }
    remover.remove(begin, end - begin);
    for (int chunk = begin; chunk < end; chunk++) {
      makeAbsent(chunk, word(chunk));
    }
    return end;
  }

  private boolean takeUnused(final int chunk) {
    final long word = word(chunk);
    final int state = ChunkStateDescriptor.state(word);
    final long making =
        ChunkStateDescriptor.word(
            ChunkStateDescriptor.MAKING,
            ChunkStateDescriptor.NOBODY,
            ChunkStateDescriptor.generation(word));
    if (state != ChunkStateDescriptor.FREE && state != ChunkStateDescriptor.ABSENT
        || !states.compareAndSetLong(offset(chunk), word, making)) {
      return false;
    }
    if (state == ChunkStateDescriptor.FREE) {
      header.addFreeChunks(-1);
    } else {
      header.addAbsentChunks(-1);
    }
    return true;
  }

  private void makeAbsent(final int chunk, final long word) {
    if (states.compareAndSetLong(
        offset(chunk), word, absent(ChunkStateDescriptor.generation(word)))) {
      header.addAbsentChunks(1);
    }
  }

  /**
   * Takes back the chunks whose memory was being made or given back. I/O process only.
   *
   * @param slot the slot of a process proven dead, or {@link ChunkStateDescriptor#NOBODY} for a
   *     former I/O process
   */
  public void takeBackMaking(final int slot) {
    ownedBy(
        slot,
        (chunk, word) -> {
          if (ChunkStateDescriptor.state(word) == ChunkStateDescriptor.MAKING) {
            makeAbsent(chunk, word);
          }
        });
  }

  /** Tells whether a slot's process makes the memory of a chunk. */
  public boolean isMaking(final int slot) {
    for (int chunk = 0; chunk < chunkCount; chunk++) {
      final long word = word(chunk);
      if (ChunkStateDescriptor.state(word) == ChunkStateDescriptor.MAKING
          && ChunkStateDescriptor.slot(word) == slot) {
        return true;
      }
    }
    return false;
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

  /**
   * Corrects the counts of chunks, which a process that was killed beside its count left wrong.
   * Called by the I/O process from time to time. A process between its compare-and-set and its
   * count looks like an error here, but hardly twice in a row; if it does, the next calls undo it.
   */
  public void recount() {
    final int free = (int) (count(ChunkStateDescriptor.FREE) - header.freeChunks());
    if (free == lastFreeError) {
      header.addFreeChunks(free);
    }
    lastFreeError = free == lastFreeError ? 0 : free;
    final int absent = (int) (count(ChunkStateDescriptor.ABSENT) - header.absentChunks());
    if (absent == lastAbsentError) {
      header.addAbsentChunks(absent);
    }
    lastAbsentError = absent == lastAbsentError ? 0 : absent;
  }

  /** Counts the chunks whose memory is being made or given back. */
  public int making() {
    return count(ChunkStateDescriptor.MAKING);
  }

  private int count(final int state) {
    int count = 0;
    for (int chunk = 0; chunk < chunkCount; chunk++) {
      count += ChunkStateDescriptor.state(word(chunk)) == state ? 1 : 0;
    }
    return count;
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

  /**
   * Visits the chunks that a slot has open or published and the drain has not released, and those
   * whose memory its process makes.
   */
  public void ownedBy(final int slot, final Visitor visitor) {
    for (int chunk = 0; chunk < chunkCount; chunk++) {
      final long word = word(chunk);
      if (ChunkStateDescriptor.state(word) != ChunkStateDescriptor.FREE
          && ChunkStateDescriptor.slot(word) == slot) {
        visitor.visit(chunk, word);
      }
    }
  }

  /**
   * Tells whether a chunk has an owner, whatever that has made of the word, unless it freed the
   * chunk.
   */
  private static boolean isOwned(final long word) {
    return ChunkStateDescriptor.state(word) != ChunkStateDescriptor.FREE
        && ChunkStateDescriptor.slot(word) != ChunkStateDescriptor.NOBODY;
  }

  static int offset(final int chunk) {
    return chunk * ChunkStateDescriptor.LENGTH;
  }
}
