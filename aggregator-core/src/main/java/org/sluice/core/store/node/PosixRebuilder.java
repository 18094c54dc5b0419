package org.sluice.core.store.node;

import java.io.IOException;
import java.util.List;
import org.sluice.core.posix.Extent;
import org.sluice.core.process.HugeMemory;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.disk.ContainerReader;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Holder;
import org.sluice.core.store.model.ImageTarget;
import org.sluice.core.store.model.OutOfOrderException;
import org.sluice.core.store.model.Pieces;
import org.sluice.core.store.model.RangeSet;
import org.sluice.core.store.model.Rebuilder;

/** Reads images of one checkpoint of a store, with memory and containers that it keeps. */
final class PosixRebuilder implements Rebuilder {
  private final CheckpointDirectory checkpoint;
  private final HugeMemory memory = new HugeMemory();
  private final OwnFile files;
  private final ContainerReaders containers;

  PosixRebuilder(final StoreDirectory store, final Commit commit, final boolean oneOfSeveral) {
    this.checkpoint = store.checkpoint(commit.number(), commit.id());
    this.files = new OwnFile(memory, oneOfSeveral);
    this.containers = new ContainerReaders(store, commit.source().sessionId(), memory);
  }

  @Override
  public void read(final CommittedImage image, final ImageTarget target) throws IOException {
    final Pieces own = Pieces.upTo(image.size()).without(image.heldByOthers());
    image.checkPlace();
    final StoredFile.Opening file = checkpoint.file(image);
    read(new Holder(image.imageId(), image.chunks(), image.blocks(), own), file, target);
    for (int i = 0; i < image.holders().size(); i++) {
      read(image.holders().get(i), StoredFile.at(checkpoint.image(image.ordinal(), i)), target);
    }
  }

  @Override
  public void readInOrder(final CommittedImage image, final ImageTarget target) throws IOException {
    if (!image.holders().isEmpty()) {
      throw new OutOfOrderException();
    }
    image.checkPlace();
    final StoredFile.Opening file = checkpoint.file(image);
    try (HugeMemory other = new HugeMemory()) { // a chunk is in the first one meanwhile
      final OwnFile own = new OwnFile(other, false);
      final OrderedImage ordered =
          new OrderedImage(
              image.imageId(),
              (from, to) -> own.read(file, meeting(image, from, to), within(from, to, target)),
              within(0, image.size(), target));
      for (final ChunkLocation chunk : image.chunks()) {
        ordered.add(containers.container(chunk.container()).read(chunk));
      }
      ordered.finish(image.size());
    }
  }

  private static List<Block> meeting(final CommittedImage image, final long from, final long to) {
    return image.blocks().stream()
        .filter(block -> block.offset() < to && block.end() > from)
        .toList();
  }

  /** Returns a target that hands on what lies in a range. */
  private static ImageTarget within(final long from, final long to, final ImageTarget target) {
    return (address, length, offset) -> {
      final long begin = Math.max(offset, from);
      final long end = Math.min(offset + length, to);
      if (begin < end) {
        target.write(address + begin - offset, end - begin, begin);
      }
    };
  }

  private void read(final Holder holder, final StoredFile.Opening file, final ImageTarget target)
      throws IOException {
    final RangeSet decided = new RangeSet();
    for (final Extent other : Pieces.upTo(Long.MAX_VALUE).without(holder.pieces()).extents()) {
      decided.add(other.offset(), other.end());
    }
    final ImageTarget once =
        (address, length, offset) -> {
          for (final Extent rest : decided.add(offset, offset + length)) {
            target.write(address + rest.offset() - offset, rest.length(), rest.offset());
          }
        };
    containers.overlay(
        holder.chunks(), new ImageOverlay(holder.imageId(), holder.pieces().end(), once));
    files.read(file, holder.blocks(), once);
  }

  /** Verifies blocks of a file and hands them on. */
  void readOwn(final StoredFile.Opening file, final List<Block> blocks, final ImageTarget target)
      throws IOException {
    files.read(file, blocks, target);
  }

  /** Returns a container of the checkpoint's session, which is closed with this. */
  ContainerReader container(final long id) throws IOException {
    return containers.container(id);
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
