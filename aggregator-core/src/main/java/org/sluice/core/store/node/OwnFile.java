package org.sluice.core.store.node;

import java.io.IOException;
import java.util.List;
import org.agrona.BitUtil;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PageCache;
import org.sluice.core.process.HugeMemory;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.ImageTarget;

/**
 * Reads what a checkpoint has of images' own files. Where several do so at a time, a file that is
 * not in memory is read past the page cache, which saves a copy. A single reader is faster through
 * the page cache, as the kernel reads ahead. Not thread-safe.
 */
final class OwnFile {
  private static final int ALIGNMENT = 4096;

  private final HugeMemory memory;
  private final boolean oneOfSeveral;

  /**
   * @param oneOfSeveral whether other threads do the same
   */
  OwnFile(final HugeMemory memory, final boolean oneOfSeveral) {
    this.memory = memory;
    this.oneOfSeveral = oneOfSeveral;
  }

  /** Verifies blocks of a file and hands them on. */
  void read(final StoredFile.Opening opening, final List<Block> blocks, final ImageTarget target)
      throws IOException {
    if (blocks.isEmpty()) {
      return;
    }
    try (NativeFile file = opening.open()) {
      if (isReadPastCache(file, blocks)) {
        try (NativeFile direct = StoredFile.openDirect(opening)) {
          read(direct, blocks, target);
        }
      } else {
        read(file, blocks, target);
      }
    }
  }

  private boolean isReadPastCache(final NativeFile file, final List<Block> blocks)
      throws IOException {
    return oneOfSeveral
        && blocks.getFirst().length() == Block.MAX_LENGTH
        && blocks.stream().allMatch(block -> block.offset() % ALIGNMENT == 0)
        && !PageCache.hasMostOf(file)
        && !file.isShared();
  }

  private void read(final NativeFile file, final List<Block> blocks, final ImageTarget target)
      throws IOException {
    final long address = memory.atLeast(Block.MAX_LENGTH);
    for (final Block block : blocks) {
      final int length = BitUtil.align(block.length(), ALIGNMENT);
      final long count = StoredFile.read(file, address, length, block.offset());
      if (count < block.length()) {
        throw new DamagedException(file.opened(), block.offset() + count, "it is truncated");
      }
      if (Crc32c.of(address, block.length()) != block.crc()) {
        throw new DamagedException(
            file.opened(),
            block.offset(),
            "the crc of a block of %d bytes does not match".formatted(block.length()));
      }
      target.write(address, block.length(), block.offset());
    }
  }
}
