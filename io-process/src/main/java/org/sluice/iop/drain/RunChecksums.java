package org.sluice.iop.drain;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.store.model.Block;

/** The checksums of bytes that follow one another in a file, by blocks as an index has them. */
final class RunChecksums {
  private final List<Block> blocks = new ArrayList<>();
  private final CRC32C crc = new CRC32C();
  private long begin;
  private int length;

  /**
   * @param offset offset of the first byte in the file
   */
  RunChecksums(final long offset) {
    begin = offset;
  }

  void add(final long address, final long bytes) {
    for (long done = 0; done < bytes; ) {
      final long part = Math.min(bytes - done, Block.MAX_LENGTH - length);
      Crc32c.update(crc, address + done, part);
      done += part;
      length += (int) part;
      if (length == Block.MAX_LENGTH) {
        cut();
      }
    }
  }

  /** Returns the blocks of all bytes. */
  List<Block> blocks() {
    if (length > 0) {
      cut();
    }
    return blocks;
  }

  private void cut() {
    blocks.add(new Block(begin, length, (int) crc.getValue()));
    crc.reset();
    begin += length;
    length = 0;
  }
}
