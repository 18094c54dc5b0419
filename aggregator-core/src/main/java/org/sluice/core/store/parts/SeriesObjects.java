package org.sluice.core.store.parts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.store.directory.SeriesFormat;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineFolder;
import org.sluice.core.store.objects.EngineProbe;
import org.sluice.core.store.objects.Engines;
import org.sluice.core.store.objects.NoObjectException;
import org.sluice.core.store.series.PartReader;
import org.sluice.core.store.series.SeriesGarbage;
import org.sluice.core.store.series.SeriesLog;
import org.sluice.core.store.series.SeriesStore;

/**
 * A store at an engine that several nodes use at a time. Its objects are those of a {@link
 * SeriesDirectory}, except for data: {@link PartCopy} makes these from a node's own store.
 */
public final class SeriesObjects implements SeriesStore {
  private static final String FORMAT = "format";

  private final String location;
  private final Engine engine;

  private SeriesObjects(final String location, final Engine engine) {
    this.location = location;
    this.engine = engine;
  }

  /**
   * Opens a store, or makes one where nothing is.
   *
   * @return the store, which the caller closes
   * @throws IOException when that fails, it holds something else, or the storage is unfit
   */
  public static SeriesObjects create(final String location) throws IOException {
    final SeriesObjects store = new SeriesObjects(location, Engines.open(location));
    try {
      if (!store.isThere()) {
        store.make();
      }
      return store;
    } catch (final IOException e) {
      store.close();
      throw e;
    }
  }

  /**
   * @return the store, which the caller closes
   * @throws NoStoreException when there is none
   */
  public static SeriesObjects open(final String location) throws IOException {
    final SeriesObjects store = new SeriesObjects(location, Engines.open(location));
    try {
      if (!store.isThere()) {
        store.checkFormat(store.names());
        throw new NoStoreException("there is no store %s; check --store".formatted(location));
      }
      return store;
    } catch (final IOException e) {
      store.close();
      throw e;
    }
  }

  private boolean isThere() throws IOException {
    try {
      SeriesFormat.check(location, engine.getAll(FORMAT, SeriesFormat.MAX_LENGTH));
      return true;
    } catch (final NoObjectException none) {
      return false;
    }
  }

  /** Refuses a store as damaged whose format is missing, although it has logs of series. */
  private void checkFormat(final List<String> folders) throws IOException {
    for (final String folder : folders) {
      if (!engine.list(folder + "/" + SeriesLog.FOLDER).isEmpty() && !isThere()) {
        throw new DamagedException(
            location + "/" + FORMAT,
            0,
            "it is missing, and there are checkpoints: put '%s' and a newline there"
                .formatted(SeriesFormat.text().strip()));
      }
    }
  }

  /** Makes a store; several nodes may do so at once. */
  private void make() throws IOException {
    final List<String> others = engine.folders();
    if (!others.isEmpty() && !isThere()) {
      checkFormat(others);
      throw new NoStoreException(
          "%s is not a store and not empty: it has %s/; give another --store"
              .formatted(location, others.getFirst()));
    }
    EngineProbe.conditionalCreate(engine);
    engine.putIfAbsent(FORMAT, SeriesFormat.text().getBytes(StandardCharsets.UTF_8));
    isThere();
  }

  @Override
  public List<String> names() throws IOException {
    return engine.folders().stream().filter(SeriesDirectory::isName).toList();
  }

  /** The engine must not be used once this store is closed. */
  @Override
  public Engine engine(final String series) {
    return new EngineFolder(engine, series);
  }

  @Override
  public Engine whole() {
    return engine;
  }

  @Override
  public List<String> remains() throws IOException {
    return engine.list(EngineProbe.PREFIX).stream().filter(key -> !key.contains("/")).toList();
  }

  @Override
  public PartReader parts(final String series) {
    return new ObjectParts(engine(series));
  }

  /**
   * Returns the data that parts need, by the key alone, so that data of unreadable parts may go as
   * well.
   */
  @Override
  public SeriesGarbage.Names needs(final String series) {
    return part -> Set.of(part.key().data());
  }

  /**
   * Returns empty for a place of a series: its objects were copied, and uncopied data of a run is
   * on its own nodes. Other objects are probes, in use only for moments.
   */
  @Override
  public Optional<Instant> lastUsed(final String series, final String place) {
    return place.contains("/") ? Optional.empty() : Optional.of(Instant.EPOCH);
  }

  @Override
  public String toString() {
    return location;
  }

  @Override
  public void close() throws IOException {
    engine.close();
  }
}
