package org.sluice.iop.checkpoint;

import java.util.OptionalLong;
import org.sluice.iop.image.ImageName;

/**
 * Which files are one checkpoint, and when it is complete. Where its user does not say which, the
 * names of files tell: until then no file is of any checkpoint. All but {@link #learn} any thread.
 */
public final class Grouping {
  /** Of a session in which no file is of any checkpoint. */
  public static final Grouping NONE = new Grouping(null, null, 0, 1);

  private final PathPattern marker;
  private final int writers;
  private final int filesPerRank;

  /** Null until it is known. */
  private volatile PathPattern files;

  /**
   * How files are grouped.
   *
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

  /**
   * From here on it is known which files are one checkpoint.
   *
   * @param its what their names match
   */
  public void learn(final PathPattern its) {
    files = its;
  }

  /** Whether names of files tell of checkpoints, or are to. */
  public boolean exists() {
    return this != NONE;
  }

  /** Whether names of files are to tell which are one checkpoint, and have not yet. */
  public boolean isSought() {
    return exists() && !isKnown();
  }

  /**
   * Whether it is known which files are one checkpoint.
   *
   * @return false while the names of files are to tell
   */
  public boolean isKnown() {
    return files != null;
  }

  /** The files of a checkpoint; null while they are not known. */
  public PathPattern files() {
    return files;
  }

  /** How many ranks of this node write a checkpoint, 0 for all. */
  public int writers() {
    return writers;
  }

  /** How many files of a checkpoint each of them writes at least. */
  public int filesPerRank() {
    return filesPerRank;
  }

  /** Whether a marker completes a checkpoint, and no count does. */
  public boolean hasMarkers() {
    return marker != null;
  }

  /** Whether a file of this name completes the checkpoint that it is of. */
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

  /** Whether the names of files tell which rank writes them. */
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
