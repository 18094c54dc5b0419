package org.sluice.iop.drain;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.collections.Int2ObjectHashMap;
import org.sluice.iop.image.Image;

/**
 * The rights of slots to append to images, so that a process can spoil no image but its own. The
 * first stage alone uses them; openings reach it through the pipeline, in order with the chunks.
 */
final class AppendRights {
  private final Map<Integer, Int2ObjectHashMap<Image>> bySlot = new HashMap<>();

  void grant(final int slot, final Image image) {
    bySlot.computeIfAbsent(slot, any -> new Int2ObjectHashMap<>()).put(image.id(), image);
  }

  void revoke(final int slot, final Image image) {
    of(slot).remove(image.id());
  }

  void revokeAll(final int slot) {
    bySlot.remove(slot);
  }

  /** Returns the image with this id; null when the slot may not append to it. */
  Image find(final int slot, final int imageId) {
    return of(slot).get(imageId);
  }

  Collection<Image> all(final int slot) {
    return List.copyOf(of(slot).values());
  }

  private Int2ObjectHashMap<Image> of(final int slot) {
    return bySlot.computeIfAbsent(slot, any -> new Int2ObjectHashMap<>());
  }
}
