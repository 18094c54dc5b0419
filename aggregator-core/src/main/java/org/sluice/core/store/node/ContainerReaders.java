package org.sluice.core.store.node;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.process.HugeMemory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.disk.ContainerReader;
import org.sluice.core.store.model.ChunkLocation;

/** The containers of a session, each opened when the first chunk of it is read. */
final class ContainerReaders implements AutoCloseable {
  private final StoreDirectory store;
  private final long sessionId;
  private final HugeMemory memory;
  private final Map<Long, ContainerReader> open = new HashMap<>();

  ContainerReaders(final StoreDirectory store, final long sessionId, final HugeMemory memory) {
    this.store = store;
    this.sessionId = sessionId;
    this.memory = memory;
  }

  /** Verifies chunks, which are in program order, and lays them over newer ones. */
  void overlay(final List<ChunkLocation> chunks, final ImageOverlay overlay) throws IOException {
    for (final ChunkLocation chunk : chunks.reversed()) {
      overlay.addOlder(container(chunk.container()).read(chunk));
    }
  }

  ContainerReader container(final long id) throws IOException {
    ContainerReader container = open.get(id);
    if (container == null) {
      container = ContainerReader.open(store.container(id), id, sessionId, memory);
      open.put(id, container);
    }
    return container;
  }

  @Override
  public void close() throws IOException {
    for (final ContainerReader container : open.values()) {
      container.close();
    }
  }
}
