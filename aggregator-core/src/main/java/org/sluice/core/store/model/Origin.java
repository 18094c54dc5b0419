package org.sluice.core.store.model;

/**
 * Which program a checkpoint is from, as far as its files tell.
 *
 * @param capture the directory that they were captured in, as a line shows it; empty where none
 *     was, or where an older Sluice did not say
 * @param recurs whether its program writes numbers again and again, others between: it had
 *     committed this one before in the same session
 */
public record Origin(String capture, boolean recurs) {
  /** Nothing tells. */
  public static final Origin UNKNOWN = new Origin("", false);

  /**
   * Whether its files were captured in another directory than those of another checkpoint.
   *
   * @param other where that one is from
   * @return false also where nothing tells
   */
  public boolean isOfAnother(final Origin other) {
    return !capture.isEmpty() && !other.capture.isEmpty() && !capture.equals(other.capture);
  }
}
