package org.sluice.core.store.node;

import java.io.IOException;
import org.sluice.core.fault.Fault;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.directory.StoreOwner;
import org.sluice.core.store.format.StoredFile;

/**
 * The lock of a store: manifests and containers come and go only while it is held, and stay as they
 * are found. Each time the owner is asked for anew, as a user may have given the store to another
 * node. Knowledge of the store is used under the lock alone.
 */
final class StoreLock {
  private final StoreDirectory store;
  private final StoreOwner owner;
  private final Catalogue catalogue;

  /** A step that is done while the lock is held. */
  @FunctionalInterface
  interface Step<T> {
    T run() throws IOException;
  }

  StoreLock(final StoreDirectory store, final StoreOwner owner, final Catalogue catalogue) {
    this.store = store;
    this.owner = owner;
    this.catalogue = catalogue;
  }

  public <T> T hold(final Step<T> step) throws IOException {
    owner.check();
    return holdAnyhow(step);
  }

  public void hold(final Fault.Step<IOException> action) throws IOException {
    hold(
        () -> {
          action.run();
          return null;
        });
  }

  synchronized <T> T holdAnyhow(final Step<T> step) throws IOException {
    try (NativeFile lock = StoredFile.open(store.format().path(), Flag.WRITE)) {
      lock.lock();
      catalogue.begin();
      final T result;
      try {
        result = step.run();
      } catch (final IOException e) {
        catalogue.forget();
        catalogue.end();
        throw e;
      }
      catalogue.end();
      return result;
    }
  }
}
