package org.sluice.iop.checkpoint;

import java.util.Map;
import java.util.TreeMap;
import org.agrona.collections.IntArrayList;

/** The count of files that each rank has in a group. Service thread only. */
final class FilesPerRank {
  private final Map<Long, Integer> files = new TreeMap<>();

  /** The number of ranks that have more files than the index says. */
  private final IntArrayList more = new IntArrayList();

  public void add(final long part) {
    final int count = files.merge(part, 1, Integer::sum);
    if (count > more.size()) {
      more.addInt(0);
    }
    more.setInt(count - 1, more.getInt(count - 1) + 1);
  }

  public void remove(final long part) {
    final int count = files.get(part);
    more.setInt(count - 1, more.getInt(count - 1) - 1);
    if (more.getInt(more.size() - 1) == 0) {
      more.removeAt(more.size() - 1);
    }
    if (count == 1) {
      files.remove(part);
    } else {
      files.put(part, count - 1);
    }
  }

  /** Returns the number of ranks with so many files or more, of 1 or more. */
  public int with(final int count) {
    return count > more.size() ? 0 : more.getInt(count - 1);
  }
}
