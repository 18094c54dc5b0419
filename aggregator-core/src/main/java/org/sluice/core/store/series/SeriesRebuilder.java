package org.sluice.core.store.series;

import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.Map;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.ImageTarget;
import org.sluice.core.store.model.Rebuilder;

/**
 * The rebuilder of a checkpoint of many nodes. Each image is rebuilt from the store of its node.
 */
final class SeriesRebuilder implements Rebuilder {
  private final Source source;
  private final boolean oneOfSeveral;
  private final Map<PartReader.Part, Rebuilder> rebuilders = new IdentityHashMap<>();
  private SeriesCheckpoint checkpoint;

  /** The source of the checkpoint, read unless it is at hand. */
  interface Source {
    SeriesCheckpoint read() throws IOException;
  }

  SeriesRebuilder(final Source source, final boolean oneOfSeveral) {
    this.source = source;
    this.oneOfSeveral = oneOfSeveral;
  }

  @Override
  public void read(final CommittedImage image, final ImageTarget target) throws IOException {
    final SeriesCheckpoint.Origin origin = originOf(image);
    rebuilderOf(origin).read(origin.image(), target);
  }

  @Override
  public void readInOrder(final CommittedImage image, final ImageTarget target) throws IOException {
    final SeriesCheckpoint.Origin origin = originOf(image);
    rebuilderOf(origin).readInOrder(origin.image(), target);
  }

  private SeriesCheckpoint.Origin originOf(final CommittedImage image) throws IOException {
    if (checkpoint == null) {
      checkpoint = source.read();
    }
    return checkpoint.originOf(image);
  }

  private Rebuilder rebuilderOf(final SeriesCheckpoint.Origin origin) {
    return rebuilders.computeIfAbsent(origin.part(), part -> part.rebuilder(oneOfSeveral));
  }

  @Override
  public void close() throws IOException {
    for (final Rebuilder rebuilder : rebuilders.values()) {
      rebuilder.close();
    }
  }
}
