package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.store.ChunkLocation;
import org.sluice.core.store.ImageOverlay;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Timed;

/** Every drained extent goes to its image's own file. */
final class FilesLayout implements Layout {
  private final Statistics statistics;
  private final InPlaceWriter inPlace = new InPlaceWriter();

  /**
   * A layout.
   *
   * @param statistics times writes
   */
  FilesLayout(final Statistics statistics) {
    this.statistics = statistics;
  }

  @Override
  public boolean isInPlace() {
    return true;
  }

  @Override
  public void drain(final DrainedChunk chunk, final Consumer<ChunkLocation> done) {
    final long began = System.nanoTime();
    inPlace.write(chunk);
    statistics.took(Timed.DRAIN_WRITE, began);
    done.accept(null);
  }

  @Override
  public void settle(final Image image, final List<ChunkReader> open) throws IOException {
    final ImageOverlay overlay =
        new ImageOverlay(image.id(), image.log().size(), image.file()::pwrite);
    for (final ChunkReader chunk : open.reversed()) {
      overlay.addOlder(chunk);
    }
  }

  @Override
  public void close() {}
}
