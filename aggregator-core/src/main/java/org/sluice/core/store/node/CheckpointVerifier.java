package org.sluice.core.store.node;

import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.libc.PosixException;
import org.sluice.core.process.HugeMemory;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.disk.ContainerReader;
import org.sluice.core.store.format.IndexCodec;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.ChangedFileException;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Sharing;

/** Checks everything a checkpoint consists of, its manifest apart. */
final class CheckpointVerifier implements AutoCloseable {
  private static final Comparator<ChunkLocation> BY_POSITION =
      Comparator.comparingLong(ChunkLocation::position)
          .thenComparing(ChunkLocation::used)
          .thenComparing(ChunkLocation::crc);

  private final StoreDirectory store;
  private final Commit commit;
  private final Consumer<IOException> damage;
  private final LongConsumer progress;
  private final HugeMemory memory = new HugeMemory();

  CheckpointVerifier(
      final StoreDirectory store,
      final Commit commit,
      final Consumer<IOException> damage,
      final LongConsumer progress) {
    this.store = store;
    this.commit = commit;
    this.damage = damage;
    this.progress = progress;
  }

  void verify(final List<CommittedImage> images) throws IOException {
    final Map<Long, TreeSet<ChunkLocation>> containers = new HashMap<>();
    for (final CommittedImage image : images) {
      IndexCodec.allChunks(image)
          .forEach(
              chunk ->
                  containers
                      .computeIfAbsent(chunk.container(), id -> new TreeSet<>(BY_POSITION))
                      .add(chunk));
    }
    for (final Map.Entry<Long, TreeSet<ChunkLocation>> container : containers.entrySet()) {
      check(() -> verifyContainer(container.getKey(), container.getValue()));
    }
    final CheckpointDirectory checkpoint = store.checkpoint(commit.number(), commit.id());
    for (final CommittedImage image : Sharing.held(images)) {
      check(image::checkPlace);
      verifyFile(checkpoint.file(image), image.blocks());
      for (int i = 0; i < image.holders().size(); i++) {
        verifyFile(
            StoredFile.at(checkpoint.image(image.ordinal(), i)), image.holders().get(i).blocks());
      }
    }
  }

  private void verifyFile(final StoredFile.Opening file, final List<Block> blocks)
      throws IOException {
    final OwnFile files = new OwnFile(memory, false);
    check(() -> files.read(file, blocks, (address, length, at) -> progress.accept(length)));
  }

  private void verifyContainer(final long id, final Iterable<ChunkLocation> chunks)
      throws IOException {
    try (ContainerReader container =
        ContainerReader.open(store.container(id), id, commit.source().sessionId(), memory)) {
      for (final ChunkLocation chunk : chunks) {
        check(() -> container.read(chunk));
        progress.accept(chunk.used());
      }
    }
  }

  private void check(final Step<IOException> check) throws IOException {
    try {
      check.run();
    } catch (final DamagedException
        | FormatVersionException
        | ChangedFileException
        | PosixException e) {
      damage.accept(e);
    }
  }

  @Override
  public void close() {
    memory.close();
  }
}
