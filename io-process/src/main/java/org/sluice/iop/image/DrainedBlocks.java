package org.sluice.iop.image;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.core.store.model.Block;

/**
 * The checksums of what the drain wrote to an image's own file past the page cache. A commit need
 * not read these bytes back from the disk. A checksum counts only while the drain was the last one
 * to write to the file, by its time of modification. Write stage only, until a commit has taken it.
 */
public final class DrainedBlocks {
  /** The most blocks of an image; bytes beyond are read. */
  private static final int MOST = 4096;

  private final TreeMap<Long, Block> blocks = new TreeMap<>();
  private Instant modified = Instant.MIN;

  /** Adds blocks that were just written, of which {@link #overwritten} has been told. */
  public void add(final List<Block> written) {
    if (blocks.size() + written.size() <= MOST) {
      written.forEach(block -> blocks.put(block.offset(), block));
    }
  }

  public boolean isEmpty() {
    return blocks.isEmpty();
  }

  /** Forgets blocks with bytes between two offsets, which are about to change. */
  public void overwritten(final long from, final long to) {
    if (blocks.isEmpty()) {
      return;
    }
    final Map.Entry<Long, Block> before = blocks.lowerEntry(from);
    if (before != null && before.getValue().end() > from) {
      blocks.remove(before.getKey());
    }
    blocks.subMap(from, to).clear();
  }

  /** Forgets all if another process has written to the file, by its time of modification. */
  public void check(final Instant now) {
    if (!now.equals(modified)) {
      blocks.clear();
    }
  }

  /** Takes the file's time of modification, as the drain has left it. */
  public void modified(final Instant time) {
    modified = time;
  }

  /**
   * Returns the checksums of a file.
   *
   * @param now its time of modification
   * @return by offset, no byte twice; none where another process wrote to the file since
   */
  public List<Block> at(final Instant now) {
    return now.equals(modified) ? List.copyOf(blocks.values()) : List.of();
  }
}
