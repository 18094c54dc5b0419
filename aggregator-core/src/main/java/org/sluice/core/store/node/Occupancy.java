package org.sluice.core.store.node;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Holder;

/**
 * The bytes that checkpoints take of a store, each counted once. A chunk counts as long as any byte
 * of it is needed.
 *
 * @param removed what checkpoints hold of it that are not there any more
 */
public record Occupancy(long bytes, long removed) {
  /** A place of bytes: a chunk, or a block of an image's own file. */
  private record Place(long session, int image, Object chunkOrBlock, long length) {}

  /**
   * @param commits of which others may have bytes
   */
  public static Occupancy of(final CheckpointReader reader, final List<Commit> commits)
      throws IOException {
    final Set<Place> own = new HashSet<>();
    final Set<Place> held = new HashSet<>();
    for (final Commit commit : commits) {
      for (final CommittedImage image : reader.images(commit)) {
        add(own, commit, image.imageId(), image.chunks(), image.blocks());
        for (final Holder holder : image.holders()) {
          add(held, commit, holder.imageId(), holder.chunks(), holder.blocks());
        }
      }
    }
    held.removeAll(own);
    final long removed = sum(held);
    return new Occupancy(sum(own) + removed, removed);
  }

  private static void add(
      final Set<Place> places,
      final Commit commit,
      final int image,
      final List<ChunkLocation> chunks,
      final List<Block> blocks) {
    for (final ChunkLocation chunk : chunks) {
      places.add(new Place(0, 0, chunk, chunk.used())); // images share chunks
    }
    for (final Block block : blocks) {
      places.add(new Place(commit.source().sessionId(), image, block, block.length()));
    }
  }

  private static long sum(final Set<Place> places) {
    return places.stream().mapToLong(Place::length).sum();
  }
}
