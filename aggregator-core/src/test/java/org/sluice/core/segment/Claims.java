package org.sluice.core.segment;

/** What application processes do with the pool, as {@code pool.c} does it. */
public final class Claims {
  private Claims() {}

  /**
   * Claims the first free chunk from one on.
   *
   * @return its index; -1 when none is free
   */
  public static int claim(final ChunkPool pool, final int slot, final int first) {
    for (int i = 0; i < pool.chunkCount(); i++) {
      final int chunk = (first + i) % pool.chunkCount();
      final long word = pool.word(chunk);
      final int generation = ChunkStateDescriptor.generation(word);
      if (ChunkStateDescriptor.state(word) == ChunkStateDescriptor.FREE
          && pool.states.compareAndSetLong(
              ChunkPool.offset(chunk),
              word,
              ChunkStateDescriptor.word(ChunkStateDescriptor.OPEN, slot, generation))) {
        pool.header.addFreeChunks(-1);
        return chunk;
      }
    }
    return -1;
  }

  /**
   * Takes a chunk to make its memory.
   *
   * @return its state word; 0 when it is not there to be made
   */
  public static long make(final ChunkPool pool, final int slot, final int chunk) {
    final long word = pool.word(chunk);
    final long making =
        ChunkStateDescriptor.word(
            ChunkStateDescriptor.MAKING, slot, ChunkStateDescriptor.generation(word));
    if (ChunkStateDescriptor.state(word) == ChunkStateDescriptor.ABSENT
        && pool.states.compareAndSetLong(ChunkPool.offset(chunk), word, making)) {
      pool.header.addAbsentChunks(-1);
      return making;
    }
    return 0;
  }

  /**
   * Opens a chunk whose memory has been made, unless it is another's meanwhile.
   *
   * @param making its state word from {@link #make}
   */
  public static void made(final ChunkPool pool, final int chunk, final long making) {
    pool.states.compareAndSetLong(
        ChunkPool.offset(chunk),
        making,
        ChunkStateDescriptor.word(
            ChunkStateDescriptor.OPEN,
            ChunkStateDescriptor.slot(making),
            ChunkStateDescriptor.generation(making) + 1));
  }

  /** Hands an open chunk over to the drain. */
  public static void publish(final ChunkPool pool, final int chunk) {
    pool.publish(chunk, pool.word(chunk));
  }

  /** How often chunks were released, by which a process that waits sees progress. */
  public static int releases(final ChunkPool pool) {
    int releases = 0;
    for (int chunk = 0; chunk < pool.chunkCount(); chunk++) {
      releases += ChunkStateDescriptor.generation(pool.word(chunk));
    }
    return releases;
  }
}
