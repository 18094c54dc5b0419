package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.ChunkLocation;
import org.sluice.core.store.Container;
import org.sluice.core.store.ImageOverlay;
import org.sluice.iop.image.Image;

/**
 * Chunks go to containers as they lie in memory. Only images that have become direct get their
 * extents in place.
 */
final class ContainerLayout implements Layout {
  private final CheckpointStore store;
  private final long sessionId;
  private final InPlaceWriter inPlace = new InPlaceWriter();

  private final SessionContainers containers;

  ContainerLayout(final CheckpointStore store, final long sessionId, final String node) {
    this.store = store;
    this.sessionId = sessionId;
    this.containers = new SessionContainers(store, sessionId, node);
  }

  @Override
  public boolean isInPlace() {
    return false;
  }

  @Override
  public void drain(final DrainedChunk chunk) {
    final ExtentTable extents = chunk.extents();
    boolean logged = false;
    boolean direct = false;
    for (int i = 0; i < extents.count(); i++) {
      final boolean here = extents.image(i).log().isInPlace();
      direct |= here;
      logged |= !here;
    }
    if (logged) {
      log(chunk);
    }
    if (direct) {
      inPlace.write(chunk);
    }
  }

  private void log(final DrainedChunk chunk) {
    final ExtentTable extents = chunk.extents();
    try {
      final ChunkLocation location =
          containers.next(chunk.used()).append(chunk.memory(), chunk.used(), chunk.crc());
      Image last = null;
      for (int i = 0; i < extents.count(); i++) {
        final Image image = extents.image(i);
        if (!image.log().isInPlace()) {
          if (image != last) {
            image.log().add(location);
            containers.usedBy(image.log());
            last = image;
          }
          image.log().follow(extents.type(i), extents.offset(i), extents.length(i));
        }
      }
    } catch (final IOException e) {
      for (int i = 0; i < extents.count(); i++) {
        if (!extents.image(i).log().isInPlace()) {
          extents.image(i).fail(e);
        }
      }
    }
  }

  @Override
  public void settle(final Image image, final List<ChunkReader> open) throws IOException {
    final ImageOverlay overlay =
        new ImageOverlay(image.id(), image.log().size(), image.file()::pwrite);
    for (final ChunkReader chunk : open.reversed()) {
      overlay.addOlder(chunk);
    }
    store.overlay(sessionId, image.log().chunks(), overlay);
    image.log().settled();
  }

  @Override
  public void sync(final Image image) throws IOException {
    containers.sync();
    image.file().sync();
  }

  @Override
  public void turn() {
    containers.turn();
  }

  @Override
  public List<Container> release() {
    return containers.release();
  }

  @Override
  public void prepare() throws IOException {
    containers.prepare();
  }

  @Override
  public void close() throws IOException {
    containers.close();
  }
}
