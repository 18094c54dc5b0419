package org.sluice.iop.checkpoint;

import java.util.OptionalLong;
import org.sluice.core.segment.Layout;
import org.sluice.iop.image.ImageName;

/**
 * The rule by which files are one checkpoint, and by which it is complete. Where its user does not
 * say which, the names of files tell: until then no file is of any checkpoint. All but {@link
 * #learn} any thread.
 */
public final class Grouping {
  /** The rule of a session in which no file is of any checkpoint. */
  public static final Grouping NONE = new Grouping(null, null, 0, 1);

  private final PathPattern marker;
  private final int writers;
  private final int filesPerRank;

  /** The pattern of the files of a checkpoint; null until it is known. */
  private volatile PathPattern files;

  /**
   * @param files of a checkpoint; null when that is to be found out
   * @param marker a file whose closing completes a checkpoint; null when ranks and files are
   *     counted
   * @param writers how many ranks of this node write a checkpoint, 0 for all
   * @param filesPerRank how many files of it each of them writes at least, from 1
   */
  public Grouping(
      final PathPattern files,
      final PathPattern marker,
      final int writers,
      final int filesPerRank) {
    this.files = files;
    this.marker = marker;
    this.writers = writers;
    this.filesPerRank = filesPerRank;
  }

  public void learn(final PathPattern its) {
    files = its;
  }

  /** Returns whether names of files tell of checkpoints, or are to. */
  public boolean exists() {
    return this != NONE;
  }

  /**
   * Returns whether a checkpoint may miss a file that nobody captures.
   *
   * @param layout place where bytes land
   */
  public boolean mayHaveCheckpoints(final Layout layout) {
    return exists() || layout.impliesCheckpoints();
  }

  /** Returns whether names of files are to tell which are one checkpoint, and have not yet. */
  public boolean isSought() {
    return exists() && !isKnown();
  }

  /** Returns whether it is known which files are one checkpoint. */
  public boolean isKnown() {
    return files != null;
  }

  /** The files of a checkpoint; null while they are not known. */
  public PathPattern files() {
    return files;
  }

  /** Returns the number of this node's ranks that write a checkpoint, 0 for all. */
  public int writers() {
    return writers;
  }

  /** Returns the least number of files of a checkpoint that each of them writes. */
  public int filesPerRank() {
    return filesPerRank;
  }

  /** Returns whether a marker completes a checkpoint, and no count does. */
  public boolean hasMarkers() {
    return marker != null;
  }

  public boolean marks(final String path) {
    return hasMarkers() && isKnown() && !ImageName.isOurs(path) && marker.number(path).isPresent();
  }

  /** The checkpoint that a path names; empty for none, and for what is set aside to be removed. */
  public OptionalLong number(final String path) {
    if (!isKnown() || ImageName.isOurs(path)) {
      return OptionalLong.empty();
    }
    return marks(path) ? marker.number(path) : files.number(path);
  }

  public boolean tellsRanks() {
    return isKnown() && files.tellsRanks();
  }

  /** The rank that a path names; empty for none. */
  public OptionalLong rank(final String path) {
    if (!isKnown()) {
      return OptionalLong.empty();
    }
    return marks(path) ? marker.rank(path) : files.rank(path);
  }
}
