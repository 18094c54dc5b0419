package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.ChunkLocation;
import org.sluice.core.store.ImageOverlay;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Work;
import org.sluice.iop.image.Image;

/**
 * Puts a fresh file where a committed image is, so that the committed inode stays as it is. The
 * last stage does it, behind the commit.
 */
final class ReplaceWork implements Work {
  /** Beside what else is done to an image in its drain. */
  private static final long REPLACE = 1L << 32;

  private static final int COPY_LENGTH = 1 << 20;

  /** Takes the outcome, exactly once; called by a stage. */
  interface Outcome {
    /** Done; takes the fresh file, unless it is empty. */
    void replaced(Optional<NativeFile> fresh);

    void failed(IOException failure);
  }

  private final CheckpointStore store;
  private final long sessionId;
  private final Image image;
  private final Path path;
  private final boolean empty;
  private final Outcome outcome;
  private List<ChunkLocation> chunks;
  private long size;

  /**
   * A replacement.
   *
   * @param path where the image is
   * @param empty whether the fresh file is to be empty, otherwise it has the image's bytes
   */
  ReplaceWork(
      final CheckpointStore store,
      final long sessionId,
      final Image image,
      final Path path,
      final boolean empty,
      final Outcome outcome) {
    this.store = store;
    this.sessionId = sessionId;
    this.image = image;
    this.path = path;
    this.empty = empty;
    this.outcome = outcome;
  }

  @Override
  public void write() throws IOException {
    chunks = image.log().chunks();
    size = image.drainedSize();
  }

  @Override
  public void commit() throws IOException {
    outcome.replaced(image.key().isAt(path) ? replace() : Optional.empty());
  }

  private Optional<NativeFile> replace() throws IOException {
    final Path temporary = path.resolveSibling(".sluice-%016x".formatted(image.key().inode()));
    Files.deleteIfExists(temporary); // left by a killed process, or somebody's symbolic link
    final NativeFile fresh =
        NativeFile.open(
            temporary, NativeFile.Flag.WRITE, NativeFile.Flag.CREATE, NativeFile.Flag.EXCLUSIVE);
    try {
      fresh.chmod(image.file().mode());
      if (!empty) {
        rebuild(fresh);
      }
      Names.rename(temporary, path);
    } catch (final IOException e) {
      fresh.close();
      Files.deleteIfExists(temporary);
      throw e;
    }
    if (empty) {
      fresh.close();
    }
    return empty ? Optional.empty() : Optional.of(fresh);
  }

  private void rebuild(final NativeFile fresh) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment buffer = arena.allocate(COPY_LENGTH);
      for (final Extent extent : image.file().dataExtents()) {
        for (long at = extent.offset(); at < extent.end(); at += COPY_LENGTH) {
          final long length = Math.min(COPY_LENGTH, extent.end() - at);
          final long count = image.file().pread(buffer.address(), length, at);
          fresh.pwrite(buffer.address(), count, at);
        }
      }
    }
    fresh.truncate(size);
    store.overlay(sessionId, chunks, new ImageOverlay(image.id(), size, fresh::pwrite));
  }

  @Override
  public void fail(final IOException failure) {
    outcome.failed(failure);
  }

  @Override
  public Subject subject() {
    return Subject.IMAGE;
  }

  @Override
  public long id() {
    return REPLACE;
  }

  @Override
  public int imageId() {
    return image.id();
  }
}
