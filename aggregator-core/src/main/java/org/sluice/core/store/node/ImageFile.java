package org.sluice.core.store.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.ImageTarget;

/** The images' own files on their way into a checkpoint. Not thread-safe. */
final class ImageFile implements AutoCloseable {
  private final Arena arena = Arena.ofConfined();
  private final Disk disk;

  /** The memory for the longest block; null before the first one. */
  private MemorySegment memory;

  ImageFile(final Disk disk) {
    this.disk = disk;
  }

  /** Returns whether a file has data below a size. */
  static boolean hasData(final NativeFile file, final long size) throws IOException {
    return !pieces(file.dataExtents(), size).isEmpty();
  }

  /**
   * Puts a file into a checkpoint: by a hard link where that is possible, otherwise by a durable
   * copy. The caller makes the file itself and the name durable. A file without data below its size
   * is left out.
   */
  List<Block> store(final NativeFile source, final DraftImage image, final Path path)
      throws IOException {
    final List<Extent> data = source.dataExtents();
    final List<Extent> pieces = pieces(data, image.attributes().size());
    if (pieces.isEmpty()) {
      return List.of();
    }
    return !image.shared() && link(source, path)
        ? checksum(source, data, image)
        : copy(source, pieces, path);
  }

  /** The checksums of an image's file. The file stays where it is, and is durable. */
  List<Block> checksum(final NativeFile source, final DraftImage image) throws IOException {
    return checksum(source, source.dataExtents(), image);
  }

  private List<Block> checksum(
      final NativeFile source, final List<Extent> data, final DraftImage image) throws IOException {
    final List<Block> blocks = new ArrayList<>();
    final Iterator<Block> known = image.known().iterator();
    Block next = known.hasNext() ? known.next() : null;
    for (final Extent extent : data) {
      final long end = Math.min(extent.end(), image.attributes().size());
      long from = extent.offset();
      while (next != null && next.end() <= end) {
        if (next.offset() >= from) {
          blocks.addAll(read(source, from, next.offset()));
          blocks.add(next);
          from = next.end();
        }
        next = known.hasNext() ? known.next() : null;
      }
      blocks.addAll(read(source, from, end));
    }
    return blocks;
  }

  private List<Block> read(final NativeFile source, final long from, final long to)
      throws IOException {
    return checksum(source, pieces(from, to), (address, length, offset) -> {});
  }

  /** Puts blocks of an earlier checkpoint's file, which never changes, into a later checkpoint. */
  void share(final Path earlier, final List<Block> blocks, final Path path) throws IOException {
    if (blocks.isEmpty()) {
      return;
    }
    try (NativeFile source = StoredFile.open(earlier)) {
      if (!link(source, path)) {
        copy(
            source,
            blocks.stream().map(block -> new Extent(block.offset(), block.length())).toList(),
            path);
      }
    }
  }

  private List<Block> copy(final NativeFile source, final List<Extent> pieces, final Path path)
      throws IOException {
    try (NativeFile copy = disk.open(path, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE)) {
      copy.role(FaultPoint.IMAGE_WRITE, FaultPoint.IMAGE_FSYNC);
      final List<Block> blocks = checksum(source, pieces, copy::pwrite);
      disk.sync(copy);
      return blocks;
    }
  }

  /**
   * Puts a copy in the place of each link that a checkpoint has of a file. A copy that a crash
   * leaves under its temporary name goes with the checkpoint.
   */
  void unshare(final NativeFile source, final CheckpointDirectory checkpoint) throws IOException {
    boolean changed = false;
    if (!Files.isDirectory(checkpoint.images())) {
      return;
    }
    try (DirectoryStream<Path> images = Files.newDirectoryStream(checkpoint.images())) {
      for (final Path image : images) {
        if (source.isAt(image)) {
          final Path temporary = image.resolveSibling(image.getFileName() + ".copy");
          disk.delete(temporary, null);
          copy(source, pieces(source.dataExtents(), source.size()), temporary);
          disk.rename(temporary, image, null);
          changed = true;
        }
      }
    }
    if (changed) {
      disk.syncDirectory(checkpoint.images(), FaultPoint.DIRECTORY_FSYNC);
    }
  }

  private boolean link(final NativeFile source, final Path path) throws PosixException {
    try {
      Fault.at(FaultPoint.IMAGE_LINK, "link " + path, () -> disk.link(source, path));
      return true;
    } catch (final PosixException e) {
      return switch (e.errno()) {
        case Errno.EXDEV, Errno.EPERM, Errno.EOPNOTSUPP, Errno.EMLINK, Errno.ENOENT -> false;
        default -> throw e;
      };
    }
  }

  private List<Block> checksum(
      final NativeFile source, final List<Extent> pieces, final ImageTarget copy)
      throws IOException {
    final List<Block> blocks = new ArrayList<>(pieces.size());
    memory = memory == null ? arena.allocate(Block.MAX_LENGTH) : memory;
    for (final Extent piece : pieces) {
      final int length = (int) piece.length();
      if (source.pread(memory.address(), length, piece.offset()) < length) {
        throw new IOException(source.opened() + " became shorter while it was committed");
      }
      copy.write(memory.address(), length, piece.offset());
      blocks.add(new Block(piece.offset(), length, Crc32c.of(memory.address(), length)));
    }
    return blocks;
  }

  /** Cuts extents at the size and into pieces no longer than a block. */
  private static List<Extent> pieces(final List<Extent> extents, final long size) {
    final List<Extent> pieces = new ArrayList<>();
    for (final Extent extent : extents) {
      pieces.addAll(pieces(extent.offset(), Math.min(extent.end(), size)));
    }
    return pieces;
  }

  private static List<Extent> pieces(final long begin, final long end) {
    final List<Extent> pieces = new ArrayList<>();
    for (long from = begin; from < end; from += Block.MAX_LENGTH) {
      pieces.add(new Extent(from, Math.min(Block.MAX_LENGTH, end - from)));
    }
    return pieces;
  }

  @Override
  public void close() {
    arena.close();
  }
}
