package org.sluice.core.store;

import java.io.IOException;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.HugeMemory;

/** Reads images of one checkpoint of a store, with memory and containers that it keeps. */
final class PosixRebuilder implements Rebuilder {
  private final CheckpointDirectory checkpoint;
  private final HugeMemory memory = new HugeMemory();
  private final OwnFile files;
  private final ContainerReaders containers;

  PosixRebuilder(final StoreDirectory store, final Commit commit, final boolean oneOfSeveral) {
    this.checkpoint = store.checkpoint(commit.number(), commit.id());
    this.files = new OwnFile(memory, oneOfSeveral);
    this.containers = new ContainerReaders(store, commit.sessionId(), memory);
  }

  @Override
  public void read(final CommittedImage image, final ImageTarget target) throws IOException {
    final Coverage logged = new Coverage();
    final ImageOverlay overlay =
        new ImageOverlay(
            image.imageId(),
            image.size(),
            (address, length, offset) -> {
              logged.add(offset, offset + length);
              target.write(address, length, offset);
            });
    containers.overlay(image.chunks(), overlay);
    files.read(
        checkpoint.image(image.ordinal()),
        image.blocks(),
        (address, length, offset) -> {
          for (final Extent rest : logged.add(offset, offset + length)) {
            target.write(address + rest.offset() - offset, rest.length(), rest.offset());
          }
        });
  }

  @Override
  public void close() throws IOException {
    try {
      containers.close();
    } finally {
      memory.close();
    }
  }
}
