package org.sluice.core.segment;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A slot: one attached process and its counters.
 *
 * <p>{@link #attach} and {@link #detach} belong to the I/O process. The counters have one writer,
 * the attached process. Counters of the log are changed by its threads in turn, under the lock of
 * their chunk writer; those of direct writes at any time, by atomic additions, since such a write
 * takes no lock. They are plain words that any process may read at any time, each right or one
 * write late.
 */
public final class Slot {
  final UnsafeBuffer buffer;

  Slot(final UnsafeBuffer buffer) {
    this.buffer = buffer;
  }

  /**
   * Gives the slot to a process, with counters at zero.
   *
   * @param rank its rank, -1 unknown
   * @param ranks ranks of the job, 0 unknown
   * @param generation the number of processes that the slot has had, with this one
   */
  public void attach(
      final ProcessIdentity process, final int rank, final int ranks, final long generation) {
    final int counters = SlotDescriptor.AGGREGATED_WRITES_OFFSET;
    final int end = SlotDescriptor.REASON_BYTES_OFFSET + SlotDescriptor.REASONS * Long.BYTES;
    buffer.setMemory(counters, end - counters, (byte) 0);
    buffer.putInt(SlotDescriptor.PID_OFFSET, process.pid());
    buffer.putLong(SlotDescriptor.START_TIME_OFFSET, process.startTime());
    buffer.putInt(SlotDescriptor.RANK_OFFSET, rank);
    buffer.putInt(SlotDescriptor.RANKS_OFFSET, ranks);
    buffer.putLong(SlotDescriptor.GENERATION_OFFSET, generation);
    quiet(false);
    mostUntaken(0);
    buffer.putInt(SlotDescriptor.LENGTHENING_OFFSET, 0);
    buffer.putIntRelease(SlotDescriptor.STATE_OFFSET, SlotDescriptor.STATE_ATTACHED);
  }

  /** Takes the slot back; the counters stay readable until the next attach. */
  public void detach() {
    buffer.putIntRelease(SlotDescriptor.STATE_OFFSET, SlotDescriptor.STATE_FREE);
  }

  /** Gives the slot that was taken back to the same process again. */
  public void keep() {
    buffer.putIntRelease(SlotDescriptor.STATE_OFFSET, SlotDescriptor.STATE_ATTACHED);
  }

  /**
   * Tells whether the process that has the slot, or had it last, has ended well; false when it
   * runs, has failed or was killed.
   */
  public boolean hasLeft() {
    return buffer.getIntAcquire(SlotDescriptor.LEFT_OFFSET) != 0;
  }

  public boolean isAttached() {
    return buffer.getIntAcquire(SlotDescriptor.STATE_OFFSET) == SlotDescriptor.STATE_ATTACHED;
  }

  /**
   * Sets whether the process is to ring the bell at its next append. A {@link Header#fence} has to
   * follow before the I/O process looks a last time at appended records.
   */
  public void quiet(final boolean quiet) {
    buffer.putIntRelease(SlotDescriptor.QUIET_OFFSET, quiet ? 1 : 0);
  }

  /**
   * Sets how many files the process may enter as images that the I/O process has not taken yet.
   *
   * @param most 0 when it is to ask for each
   */
  public void mostUntaken(final int most) {
    buffer.putIntVolatile(SlotDescriptor.MOST_UNTAKEN_OFFSET, most);
  }

  /**
   * Sets whether the process may make memory of chunks. Called before the process learns its slot.
   *
   * @param allowed all limits of memory that the process has are the I/O process's, too
   */
  public void makesMemory(final boolean allowed) {
    buffer.putIntRelease(SlotDescriptor.MAKES_MEMORY_OFFSET, allowed ? 1 : 0);
  }

  /**
   * Returns the index of the image entry that the process is taking, or has just taken, which may
   * be anything; -1 for none.
   */
  public int entering() {
    return buffer.getIntVolatile(SlotDescriptor.ENTERING_OFFSET) - 1;
  }

  /**
   * Returns the id of the image whose own file the process is about to give its length, which may
   * be anything; 0 for none.
   */
  public int lengthening() {
    return buffer.getIntVolatile(SlotDescriptor.LENGTHENING_OFFSET);
  }

  /**
   * Tells whether the process is to ring the bell at its next append; false again once the bell was
   * rung.
   */
  public boolean isQuiet() {
    return buffer.getIntAcquire(SlotDescriptor.QUIET_OFFSET) != 0;
  }

  /** The process that has the slot, or had it last. */
  public ProcessIdentity process() {
    return new ProcessIdentity(
        buffer.getInt(SlotDescriptor.PID_OFFSET), buffer.getLong(SlotDescriptor.START_TIME_OFFSET));
  }

  /** Returns the number of processes that had the slot. */
  public long generation() {
    return buffer.getLong(SlotDescriptor.GENERATION_OFFSET);
  }

  /**
   * @param offset {@link SlotDescriptor#AGGREGATED_WRITES_OFFSET} or one behind it
   * @param index of a counter in a row of them, as by size class; 0 for a single one
   */
  public long counter(final int offset, final int index) {
    return buffer.getLongOpaque(offset + Long.BYTES * index);
  }
}
