package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.HugeMemory;
import org.sluice.core.posix.NativeFile;

/** What a checkpoint has of an image's own file. */
final class OwnFile {
  private OwnFile() {}

  /** Verifies it, block by block, and hands it on. */
  static void read(
      final Path path, final List<Block> blocks, final HugeMemory memory, final ImageTarget target)
      throws IOException {
    if (blocks.isEmpty()) {
      return;
    }
    final long address = memory.atLeast(Block.MAX_LENGTH);
    try (NativeFile file = StoredFile.open(path)) {
      for (final Block block : blocks) {
        final long count = StoredFile.read(file, address, block.length(), block.offset());
        if (count < block.length()) {
          throw new DamagedException(path.toString(), block.offset() + count, "it is truncated");
        }
        if (Crc32c.of(address, block.length()) != block.crc()) {
          throw new DamagedException(
              path.toString(),
              block.offset(),
              "the crc of a block of %d bytes does not match".formatted(block.length()));
        }
        target.write(address, block.length(), block.offset());
      }
    }
  }
}
