package org.sluice.core.series;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.CommittedImage;
import org.sluice.core.store.Rebuilder;

/** Rebuilds images of a checkpoint of many nodes, each from the store of its node. */
final class SeriesRebuilder implements Rebuilder {
  private final SeriesCheckpoint checkpoint;
  private final boolean oneOfSeveral;
  private final Map<SeriesCheckpoint.Part, Rebuilder> rebuilders = new HashMap<>();

  SeriesRebuilder(final SeriesCheckpoint checkpoint, final boolean oneOfSeveral) {
    this.checkpoint = checkpoint;
    this.oneOfSeveral = oneOfSeveral;
  }

  @Override
  public void rebuild(final CommittedImage image, final NativeFile target) throws IOException {
    final SeriesCheckpoint.Origin origin = checkpoint.originOf(image);
    final SeriesCheckpoint.Part part = origin.part();
    rebuilders
        .computeIfAbsent(part, any -> part.store().rebuilder(part.commit(), oneOfSeveral))
        .rebuild(origin.image(), target);
  }

  @Override
  public void close() throws IOException {
    for (final Rebuilder rebuilder : rebuilders.values()) {
      rebuilder.close();
    }
  }
}
