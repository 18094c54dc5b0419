package org.sluice.core.store.model;

/**
 * The program of a checkpoint, as far as its files tell.
 *
 * @param capture directory that they were captured in, as a line shows it; empty where none was, or
 *     where an older Sluice did not record it
 * @param recurs true if the program writes numbers again and again, others between: it had
 *     committed this number before in the same session
 */
public record Origin(String capture, boolean recurs) {
  /** The origin of a checkpoint without a record of it. */
  public static final Origin UNKNOWN = new Origin("", false);

  /**
   * Returns whether its files were captured in another directory than those of another checkpoint;
   * false also where nothing tells.
   */
  public boolean isOfAnother(final Origin other) {
    return !capture.isEmpty() && !other.capture.isEmpty() && !capture.equals(other.capture);
  }
}
