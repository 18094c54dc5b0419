package org.sluice.core.store.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.disk.WriteMode;

/**
 * The place of a store, existing or to be made, as a process finds it that would open the store for
 * writing.
 */
public final class StorePlace {
  /** The beginning of the name of a directory in which a file system is tried out. */
  public static final String TRIAL = ".sluice-check-";

  private final StoreDirectory store;
  private final boolean exists;
  private final boolean ofSeveral;

  private StorePlace(final StoreDirectory store) {
    this.store = store;
    this.ofSeveral = SeriesFormat.is(store.path());
    this.exists = store.format().exists();
  }

  /**
   * Looks at a place, and changes nothing.
   *
   * @throws NoStoreException when the parent is missing or the directory holds something else
   * @throws OtherNodeException when another node writes the store
   * @throws IOException when it is damaged, of another version, or cannot be read
   */
  public static StorePlace look(final Path directory) throws IOException {
    final StorePlace place = new StorePlace(StoreDirectory.look(directory, Disk.REAL));
    if (place.ofSeveral) {
      SeriesFormat.check(place.store.path());
    } else if (place.exists) {
      place.store.check();
      final boolean shared = place.store.isShared();
      new StoreOwner(place.store, NodeIdentity.self(), shared).check();
    }
    return place;
  }

  /** Returns whether there is a store; else one would be made. */
  public boolean isStore() {
    return exists;
  }

  /**
   * Returns whether it is a store of one node, and stays so; false also when there is no store yet.
   */
  public boolean isOfOneNode() {
    return exists && !ofSeveral;
  }

  /** Returns the directory of the store if it exists, or else its parent. */
  public Path directory() {
    return Files.isDirectory(store.path()) ? store.path() : store.path().getParent();
  }

  /**
   * Returns the way to write to the store, if it is known; empty when the next session takes the
   * store for a disk of this node, or has to measure.
   */
  public Optional<WriteMode> mode() throws IOException {
    final StoreProfile profile = new StoreProfile(store);
    return isOfOneNode() && profile.recall() ? Optional.of(profile.mode()) : Optional.empty();
  }
}
