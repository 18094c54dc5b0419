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
