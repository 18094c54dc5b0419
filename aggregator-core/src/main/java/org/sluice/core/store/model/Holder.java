package org.sluice.core.store.model;

import java.util.List;

/**
 * An image of an earlier checkpoint that holds some bytes of a later one. The earlier checkpoint
 * may be gone: its containers stay while a manifest names them, and its file has a link in the
 * later one.
 *
 * @param blocks the needed blocks of its own file, ascending
 * @param pieces the bytes that it holds; nothing else of it counts
 */
public record Holder(int imageId, List<ChunkLocation> chunks, List<Block> blocks, Pieces pieces) {
  /** Returns a holder of some bytes, without the blocks that have none of them. */
  public static Holder of(
      final int imageId,
      final List<ChunkLocation> chunks,
      final List<Block> blocks,
      final Pieces pieces) {
    return new Holder(imageId, chunks, blocks.stream().filter(pieces::meet).toList(), pieces);
  }
}
