package org.sluice.core.store;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.sluice.core.chunk.ChunkReader;

/** The containers of a session, each opened when the first chunk of it is read. */
final class ContainerReaders implements AutoCloseable {
  private final StoreDirectory store;
  private final long sessionId;
  private final Map<Long, ContainerReader> open = new HashMap<>();

  ContainerReaders(final StoreDirectory store, final long sessionId) {
    this.store = store;
    this.sessionId = sessionId;
  }

  /** Reads and verifies a chunk; the reader is valid until the next call. */
  ChunkReader read(final ChunkLocation location) throws IOException {
    final long id = location.container();
    ContainerReader container = open.get(id);
    if (container == null) {
      container = ContainerReader.open(store.container(id), id, sessionId);
      open.put(id, container);
    }
    return container.read(location);
  }

  @Override
  public void close() throws IOException {
    for (final ContainerReader container : open.values()) {
      container.close();
    }
  }
}
