package org.sluice.iop.checkpoint;

import java.util.OptionalLong;
import org.sluice.iop.image.ImageName;

/**
 * Which files are one checkpoint, and when it is complete.
 *
 * @param files of a checkpoint
 * @param marker a file whose closing completes a checkpoint; null when ranks and files are counted
 * @param writers how many ranks of this node write a checkpoint, 0 for all
 * @param filesPerRank how many files of it each of them writes at least, from 1
 */
public record Grouping(PathPattern files, PathPattern marker, int writers, int filesPerRank) {
  /** Whether a marker completes a checkpoint, and no count does. */
  boolean hasMarkers() {
    return marker != null;
  }

  /** Whether a file of this name completes the checkpoint that it is of. */
  boolean marks(final String path) {
    return hasMarkers() && !ImageName.isOurs(path) && marker.number(path).isPresent();
  }

  /** The checkpoint that a path names; empty for none, and for what is set aside to be removed. */
  OptionalLong number(final String path) {
    if (ImageName.isOurs(path)) {
      return OptionalLong.empty();
    }
    return marks(path) ? marker.number(path) : files.number(path);
  }

  /** Whether the names of files tell which rank writes them. */
  boolean tellsRanks() {
    return files.tellsRanks();
  }

  /** The rank that a path names; empty for none. */
  OptionalLong rank(final String path) {
    return marks(path) ? marker.rank(path) : files.rank(path);
  }
}
