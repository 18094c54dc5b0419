package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.FileName;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Pieces;
import org.sluice.core.store.node.DraftImage;
import org.sluice.core.store.node.IncrementalSource;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;

/** The checkpoints that have bytes of later ones. Write stage only, but for {@link #pieces}. */
public final class IncrementalSources {
  private final PosixStore store;
  private final long sessionId;
  private final Map<String, CommittedImage> images = new HashMap<>();

  /** The one whose images are known; null at first. */
  private Commit known;

  IncrementalSources(final PosixStore store, final long sessionId) {
    this.store = store;
    this.sessionId = sessionId;
  }

  /**
   * Parses the pieces that a rank says to be the same.
   *
   * @throws IllegalArgumentException when they are none
   */
  public static Pieces pieces(final String bytes) {
    final ByteBuffer in = ByteBuffer.wrap(FileName.encode(bytes)).order(ByteOrder.LITTLE_ENDIAN);
    final List<Extent> extents = new ArrayList<>();
    while (in.remaining() >= 2 * Long.BYTES) {
      extents.add(new Extent(in.getLong(), in.getLong()));
    }
    if (in.hasRemaining()) {
      throw new IllegalArgumentException("half a piece");
    }
    return new Pieces(extents);
  }

  /** Has a draft go on from where its rank said. */
  DraftImage join(final Image image, final DraftImage draft) throws IOException {
    final Entry.Created created = image.created();
    if (created == null || created.pieces().isEmpty()) {
      return draft;
    }
    final Pieces pieces = pieces(created.pieces());
    know(created.base());
    final CommittedImage base = images.get(draft.attributes().path());
    if (base == null || pieces.end() > Math.min(base.size(), draft.attributes().size())) {
      throw new IOException(
          "%s has other bytes in checkpoint %d than it is said to have"
              .formatted(draft.attributes().path(), created.base()));
    }
    return draft.goingOnFrom(new IncrementalSource(known, base, pieces));
  }

  private void know(final long number) throws IOException {
    if (known != null && known.number() == number) {
      return;
    }
    images.clear();
    known = null;
    final Commit commit =
        store
            .find(number)
            .filter(found -> found.source().sessionId() == sessionId)
            .orElseThrow(
                () -> new IOException("checkpoint %d is not there any more".formatted(number)));
    store.images(commit).forEach(image -> images.put(image.path(), image));
    known = commit;
  }
}
