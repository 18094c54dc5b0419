package org.sluice.iop.image;

import org.sluice.iop.journal.Entry;

/**
 * A process that writes images, all of which refer to it, so that its end is theirs at once.
 * Service thread only.
 */
public final class Writer {
  private final Entry.Attached process;
  private boolean killed;

  Writer(final Entry.Attached process) {
    this.process = process;
  }

  /** The writer of an image that no process has written. */
  static Writer nobody() {
    return new Writer(new Entry.Attached(0, 0, 0, -1, 0, 0, 0, 0, 0));
  }

  /**
   * How the process got its slot.
   *
   * @return all zero, but for the rank, when it is nobody
   */
  public Entry.Attached attached() {
    return process;
  }

  /** The entry that stands for it in a journal that is made anew. */
  Entry.KnownWriter known() {
    return new Entry.KnownWriter(process, killed);
  }

  /**
   * The process.
   *
   * @return tells all processes of the session apart, whichever I/O process serves it
   */
  public long process() {
    return process.generation() << Integer.SIZE | process.slot();
  }

  /**
   * The rank of the process.
   *
   * @return -1 unknown
   */
  public int rank() {
    return process.rank();
  }

  /**
   * How many ranks the job of the process has.
   *
   * @return 0 unknown
   */
  public int ranks() {
    return process.ranks();
  }

  /**
   * How many ranks of its job run on this node.
   *
   * @return 0 where that is unknown
   */
  public int localRanks() {
    return process.localRanks() == 0 ? ranks() : Math.max(process.localRanks(), 0);
  }

  /**
   * Whether the job of the process has ranks on other nodes.
   *
   * @return false where nothing says so
   */
  public boolean isOfSeveralNodes() {
    final int local = process.localRanks();
    return rank() >= 0 && (local < 0 || local > 0 && local < ranks());
  }

  /**
   * Whose part of a checkpoint its images are: its rank's, or its own if it has none.
   *
   * @return tells parts apart
   */
  public long part() {
    return rank() >= 0 ? rank() : -1 - process();
  }

  /**
   * How many processes were killed before this one attached.
   *
   * @return how many processes
   */
  public int killsBefore() {
    return process.killsBefore();
  }

  /** The process was killed, as DETACHED will say; it stays so. */
  public void killed() {
    killed = true;
  }

  /**
   * Whether the process was killed.
   *
   * @return false while it lives, or when it has ended well
   */
  public boolean wasKilled() {
    return killed;
  }
}
