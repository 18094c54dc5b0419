package org.sluice.core.store.parts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.core.store.disk.FileOwners;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.format.SealedJson;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.PosixReader;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartReader;

/** The parts whose data is in the own stores of their nodes, in a directory that all nodes see. */
final class DirectoryParts implements PartReader {
  private final SeriesDirectory directory;
  private final String series;
  private final Map<Path, PosixStore> stores = new HashMap<>();

  DirectoryParts(final SeriesDirectory directory, final String series) {
    this.directory = directory;
    this.series = series;
  }

  private record InStore(PosixStore store, Commit commit, List<CommittedImage> images)
      implements Part {
    @Override
    public boolean isIncomplete() {
      return store.marked(commit).incomplete();
    }

    @Override
    public Rebuilder rebuilder(final boolean oneOfSeveral) {
      return store.rebuilder(commit, oneOfSeveral);
    }

    @Override
    public void verify(final Consumer<IOException> damage, final LongConsumer progress)
        throws IOException {
      store.verify(commit, images, damage, progress);
    }

    @Override
    public void addOwners(final Map<Integer, String> owners) throws IOException {
      owners.putAll(store.owners(commit));
    }
  }

  @Override
  public Part open(final PartKey key, final StoredPart part) throws IOException {
    final PosixStore store =
        store(new SeriesDirectory.Place(directory.root(), series, key.begin(), key.node()));
    return new InStore(store, part.commit(), part.images());
  }

  private PosixStore store(final SeriesDirectory.Place place) throws IOException {
    PosixStore store = stores.get(place.path());
    if (store == null) {
      store = PosixStore.open(place.path());
      stores.put(place.path(), store);
    }
    return store;
  }

  @Override
  public Optional<LeftAsFiles> leftAsFiles(final long begin) throws IOException {
    for (final SeriesDirectory.Place place : directory.places(series, begin)) {
      try {
        final Optional<LeftAsFiles> left = store(place).leftAsFiles();
        if (left.isPresent()) {
          return left;
        }
      } catch (final NoStoreException notYet) {
        // the node has just begun
      }
    }
    return Optional.empty();
  }

  @Override
  public long verifyStores(final Consumer<IOException> damage) throws IOException {
    long last = 0;
    for (final IOException line :
        SealedJson.damageOf(directory.root().resolve(series).resolve(PosixReader.WAVES))) {
      damage.accept(line);
    }
    for (final SeriesDirectory.Place place : directory.places(series)) {
      last = Math.max(last, Math.max(place.begin(), place.last()));
      try {
        store(place).verifyPart(damage);
      } catch (final NoStoreException notYet) {
        // the node has just begun; or a checkpoint tells
      } catch (final DamagedException | FormatVersionException e) {
        damage.accept(e);
      }
    }
    return last;
  }

  @Override
  public long last(final long begin, final String node) {
    return new SeriesDirectory.Place(directory.root(), series, begin, node).last();
  }

  @Override
  public void addOwners(final Map<Integer, String> owners, final List<String> keys)
      throws IOException {
    final Path objects = directory.root().resolve(series);
    FileOwners.add(owners, directory.root());
    FileOwners.add(owners, objects);
    for (final String key : keys) {
      FileOwners.add(owners, objects.resolve(key));
    }
  }

  @Override
  public boolean knowsOwners() {
    return true;
  }

  @Override
  public void close() throws IOException {
    for (final PosixStore store : stores.values()) {
      store.close();
    }
  }
}
