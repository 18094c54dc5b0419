package org.sluice.iop.image;

import org.sluice.core.segment.ProcessIdentity;
import org.sluice.iop.journal.Entry;

/**
 * A process that writes images. All of these refer to it, so that its end is theirs at once.
 * Service thread only.
 */
public final class Writer {
  private final Entry.Attached process;
  private boolean killed;

  Writer(final Entry.Attached process) {
    this.process = process;
  }

  /** Returns the writer of an image that no process has written. */
  static Writer nobody() {
    return new Writer(new Entry.Attached(0, 0, 0, -1, 0, 0, 0, 0, 0));
  }

  /**
   * Returns the entry by which the process got its slot; all zero, but for the rank, when it is
   * nobody.
   */
  public Entry.Attached attached() {
    return process;
  }

  /** Returns the entry that stands for the writer in a journal that is made anew. */
  Entry.KnownWriter known() {
    return new Entry.KnownWriter(process, killed);
  }

  /** Returns the number of the process, unique in the session whichever I/O process serves it. */
  public long process() {
    return process.generation() << Integer.SIZE | process.slot();
  }

  /** Returns the rank; -1 unknown. */
  public int rank() {
    return process.rank();
  }

  /** Returns the number of ranks of the process's job; 0 unknown. */
  public int ranks() {
    return process.ranks();
  }

  /** Returns the number of ranks of its job that run on this node; 0 unknown. */
  public int localRanks() {
    return process.localRanks() == 0 ? ranks() : Math.max(process.localRanks(), 0);
  }

  /**
   * Returns whether the job of the process has ranks on other nodes; false where nothing says so.
   */
  public boolean isOfSeveralNodes() {
    final int local = process.localRanks();
    return rank() >= 0 && (local < 0 || local > 0 && local < ranks());
  }

  /**
   * Returns the part of a checkpoint that its images belong to: its rank's, or its own if it has
   * none.
   */
  public long part() {
    return rank() >= 0 ? rank() : -1 - process();
  }

  public int killsBefore() {
    return process.killsBefore();
  }

  /** Returns whether both are of one process, which may have several slots. */
  public boolean isSameProcess(final Writer other) {
    return other != null
        && process.pid() == other.process.pid()
        && process.startTime() == other.process.startTime();
  }

  /** Returns whether the process is there still. */
  public boolean isAlive() {
    return new ProcessIdentity(process.pid(), process.startTime()).isAlive();
  }

  /** Notes that the process was killed, as DETACHED will say; it stays so. */
  public void killed() {
    killed = true;
  }

  public boolean wasKilled() {
    return killed;
  }
}
