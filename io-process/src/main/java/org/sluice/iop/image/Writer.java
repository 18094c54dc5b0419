package org.sluice.iop.image;

/**
 * A process that writes images, all of which refer to it, so that its end is theirs at once.
 * Service thread only.
 */
public final class Writer {
  /** Of an image that nobody has written. */
  static final Writer NOBODY = new Writer(0, -1, 0, 0, 0);

  private final long process;
  private final int rank;
  private final int ranks;
  private final int localRanks;
  private final int killsBefore;
  private boolean killed;

  /**
   * A process that runs.
   *
   * @param process tells processes apart
   * @param rank its rank, -1 unknown
   * @param ranks ranks of its job, 0 unknown
   * @param localRanks those of them on this node; 0 all, -1 fewer, but nobody knows how many
   * @param killsBefore how many processes were killed before it came
   */
  public Writer(
      final long process,
      final int rank,
      final int ranks,
      final int localRanks,
      final int killsBefore) {
    this.process = process;
    this.rank = rank;
    this.ranks = ranks;
    this.localRanks = localRanks;
    this.killsBefore = killsBefore;
  }

  /**
   * The process.
   *
   * @return tells processes apart
   */
  public long process() {
    return process;
  }

  /**
   * Its rank.
   *
   * @return -1 unknown
   */
  public int rank() {
    return rank;
  }

  /**
   * The ranks of its job.
   *
   * @return 0 unknown
   */
  public int ranks() {
    return ranks;
  }

  /**
   * How many ranks of its job run on this node.
   *
   * @return 0 where that is unknown
   */
  public int localRanks() {
    return localRanks == 0 ? ranks : Math.max(localRanks, 0);
  }

  /**
   * Whether its job has ranks on other nodes.
   *
   * @return false where nothing says so
   */
  public boolean isOfSeveralNodes() {
    return rank >= 0 && (localRanks < 0 || localRanks > 0 && localRanks < ranks);
  }

  /**
   * Whose part of a checkpoint its images are: its rank's, or its own if it has none.
   *
   * @return tells parts apart
   */
  public long part() {
    return rank >= 0 ? rank : -1 - process;
  }

  /** Says that it was killed. */
  public void killed() {
    killed = true;
  }

  /**
   * The kills before it came.
   *
   * @return how many processes
   */
  public int killsBefore() {
    return killsBefore;
  }

  /**
   * Whether it was killed.
   *
   * @return false while it lives, or when it has ended well
   */
  public boolean wasKilled() {
    return killed;
  }
}
