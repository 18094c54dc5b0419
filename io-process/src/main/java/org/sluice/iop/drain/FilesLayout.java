package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Timed;

/** Every drained extent goes to its image's own file. */
final class FilesLayout implements Layout {
  private final Statistics statistics;
  private final InPlaceWriter inPlace;

  /**
   * A layout.
   *
   * @param statistics times writes
   * @param inFlight says what is written
   */
  FilesLayout(final Statistics statistics, final InFlight inFlight) {
    this.statistics = statistics;
    this.inPlace = new InPlaceWriter(inFlight.lane(Lane.Role.WRITE));
  }

  @Override
  public boolean isInPlace() {
    return true;
  }

  @Override
  public void drain(final ChunkWork chunk) {
    final long began = System.nanoTime();
    inPlace.write(chunk.extents, chunk.memory, chunk.index, chunk.generation);
    statistics.took(Timed.DRAIN_WRITE, began);
    chunk.release(null);
  }

  /** What was applied before is not applied again: others may have written over it since. */
  @Override
  public void settle(final Image image, final List<Peek> peeks) throws IOException {
    final ExtentTable extents = new ExtentTable();
    for (final Peek chunk : peeks) {
      final ChunkReader reader = chunk.reader();
      extents.clear();
      reader.rewind();
      while (reader.next()) {
        if (reader.imageId() == image.id()) {
          extents.add(image, reader);
        }
      }
      inPlace.write(extents, chunk.memory(), chunk.index(), chunk.generation());
    }
  }
}
