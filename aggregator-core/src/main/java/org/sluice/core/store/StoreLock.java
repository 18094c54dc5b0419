package org.sluice.core.store;

import java.io.IOException;
import org.sluice.core.fault.Fault;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;

/**
 * The lock of a store: manifests and containers come and go only while it is held, and stay as they
 * are found. Each time the owner is asked for anew, as a user may have given the store to another
 * node.
 */
record StoreLock(StoreDirectory store, StoreOwner owner) {
  /** What is done while it is held. */
  @FunctionalInterface
  interface Step<T> {
    T run() throws IOException;
  }

  <T> T hold(final Step<T> step) throws IOException {
    owner.check();
    try (NativeFile lock = StoredFile.open(store.format(), Flag.WRITE)) {
      lock.lock();
      return step.run();
    }
  }

  void hold(final Fault.Step<IOException> action) throws IOException {
    hold(
        () -> {
          action.run();
          return null;
        });
  }
}
