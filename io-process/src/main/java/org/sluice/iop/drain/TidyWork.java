package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import org.sluice.core.store.disk.Container;
import org.sluice.iop.measure.Warnings;

/**
 * The work between two checkpoints. Containers that no image needs are closed, so that the store
 * may use their blocks again. Then the next container and its commit are made ready, or where room
 * is short all spare ones are given back. The last stage closes them, as it is the one that syncs
 * them for the work before.
 */
final class TidyWork implements Work {
  private final SessionContainers containers;
  private final boolean shortOfRoom;
  private List<Container> released = List.of();

  TidyWork(final SessionContainers containers, final boolean shortOfRoom) {
    this.containers = containers;
    this.shortOfRoom = shortOfRoom;
  }

  @Override
  public boolean isAwaited() {
    return false;
  }

  @Override
  public void write() {
    released = containers.release();
  }

  @Override
  public void commit() throws IOException {
    for (final Container container : released) {
      container.close();
    }
    if (shortOfRoom) {
      containers.discardSpares();
    } else {
      containers.prepare();
    }
  }

  @Override
  public void fail(final IOException failure) {
    Warnings.warn(
        (shortOfRoom
                ? "containers that are not needed keep their room: "
                : "the store is not ready for the next checkpoint: ")
            + failure.getMessage());
  }
}
