package org.sluice.core.store;

import java.io.IOException;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.HugeMemory;
import org.sluice.core.posix.NativeFile;

/**
 * Rebuilds images of one checkpoint, one after the other. What it read them with it keeps: memory
 * and open containers. Not thread-safe; several may rebuild at a time.
 */
public final class Rebuilder implements AutoCloseable {
  private final CheckpointDirectory checkpoint;
  private final HugeMemory memory = new HugeMemory();
  private final OwnFile files;
  private final ContainerReaders containers;

  Rebuilder(final StoreDirectory store, final Commit commit, final boolean oneOfSeveral) {
    this.checkpoint = store.checkpoint(commit.number(), commit.id());
    this.files = new OwnFile(memory, oneOfSeveral);
    this.containers = new ContainerReaders(store, commit.sessionId(), memory);
  }

  /**
   * Rebuilds an image: its own file overlaid with its logged extents in program order. Every byte
   * is verified on the way.
   *
   * @param image one of the checkpoint's
   * @param target an empty file, open for writing; its mode is left alone
   * @throws DamagedException when something it consists of is damaged
   * @throws IOException when that fails; the target then holds anything
   */
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
