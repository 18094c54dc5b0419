package org.sluice.core.store.node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Holder;
import org.sluice.core.store.model.Pieces;

/**
 * The bytes that an image about to be committed has of an earlier checkpoint. Each byte is found at
 * the image that really holds it. So nothing is read by way of another image, and no chain grows.
 *
 * @param pieces the bytes that are still the same
 */
public record IncrementalSource(Commit commit, CommittedImage image, Pieces pieces) {
  /** A holder, and its own file, which is there if blocks of it matter. */
  record Held(Holder holder, Path file) {}

  List<Held> holders(final CheckpointDirectory directory) {
    final List<Held> held = new ArrayList<>();
    final Pieces own = pieces.without(image.heldByOthers());
    if (!own.isEmpty()) {
      held.add(
          new Held(
              Holder.of(image.imageId(), image.chunks(), image.blocks(), own),
              directory.image(image.ordinal())));
    }
    for (int i = 0; i < image.holders().size(); i++) {
      final Holder earlier = image.holders().get(i);
      final Pieces common = earlier.pieces().and(pieces);
      if (!common.isEmpty()) {
        held.add(
            new Held(
                Holder.of(earlier.imageId(), earlier.chunks(), earlier.blocks(), common),
                directory.image(image.ordinal(), i)));
      }
    }
    return held;
  }
}
