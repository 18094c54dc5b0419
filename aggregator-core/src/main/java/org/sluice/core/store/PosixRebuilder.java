package org.sluice.core.store;

import java.io.IOException;
import org.sluice.core.posix.HugeMemory;
import org.sluice.core.posix.NativeFile;

/** Rebuilds images of one checkpoint of a store, with memory and containers that it keeps. */
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
  public void rebuild(final CommittedImage image, final NativeFile target) throws IOException {
    files.read(checkpoint.image(image.ordinal()), image.blocks(), target::pwrite);
    target.truncate(image.size());
    final ImageOverlay overlay = new ImageOverlay(image.imageId(), image.size(), target::pwrite);
    containers.overlay(image.chunks(), overlay);
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
