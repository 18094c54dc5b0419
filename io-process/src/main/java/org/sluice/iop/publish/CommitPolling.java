package org.sluice.iop.publish;

import java.util.concurrent.TimeUnit;

/**
 * The times at which a node looks for the commit of a checkpoint that it has put its part of, and
 * what it looks at.
 *
 * <p>The node of rank 0 lists the parts, twice a second at least, and commits. The log tells the
 * others, for one request each if they ask once the commit is there. So each waits as long as it
 * had to for the checkpoints before, and a little less each time. If that was too soon it waits as
 * long again, and keeps in mind how long it was. Each looks at the parts as well now and then, as
 * the node of rank 0 may be gone. While a process waits, or the session ends, it asks more often.
 */
public final class CommitPolling {
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long FIRST_MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long HURRIED_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long HURRIED_MOST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** However many nodes are in a hurry, the storage can serve them. */
  private static final long HURRIED_NANOS_A_NODE = TimeUnit.MICROSECONDS.toNanos(100);

  private static final long HURRIED_MOST_NANOS_A_NODE = TimeUnit.MICROSECONDS.toNanos(500);
  private static final int LOOKS_AT_LOG = 8;

  private final boolean first;
  private final int nodes;
  private final Wait wait;
  private final long began;
  private int count;

  /** True once a look came before the commit was there. */
  private boolean early;

  private boolean hurried;
  private long pause;
  private long due;

  /** The time that a session's checkpoints take from this node's part to the commit. */
  public static final class Wait {
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private long nanos = TimeUnit.SECONDS.toNanos(1);

    private void was(final long took) {
      nanos = Math.clamp(took, LEAST_NANOS, MOST_NANOS);
    }
  }

  /**
   * @param first whether this is the node of rank 0
   * @param wait the session's, for one thread at a time
   */
  public CommitPolling(final boolean first, final int nodes, final Wait wait, final long now) {
    this.first = first;
    this.nodes = nodes;
    this.wait = wait;
    this.began = now;
    this.pause = first ? FIRST_NANOS : wait.nanos;
    this.due = first ? now : now + pause;
  }

  public long due() {
    return due;
  }

  /** Returns whether the next look is at the parts, and not at the log alone. */
  public boolean isAtParts() {
    return first || (count + 1) % LOOKS_AT_LOG == 0;
  }

  /**
   * Notes a look that did not find the commit, or failed. A failure tells nothing of when the
   * commit will be there.
   */
  public void inVain(final long now, final boolean failed) {
    count++;
    if (failed) {
      due = now + hurriedMost();
      return;
    }
    early = true;
    if (first || hurried) {
      pause = Math.min(first ? FIRST_MOST_NANOS : hurriedMost(), pause + pause / 2);
    } else {
      pause = Math.clamp(now - began, pause, Wait.MOST_NANOS);
    }
    due = now + pause;
  }

  private long hurriedMost() {
    return Math.max(HURRIED_MOST_NANOS, nodes * HURRIED_MOST_NANOS_A_NODE);
  }

  public void found(final long now) {
    if (!first && !hurried) {
      wait.was(early ? now - began : wait.nanos - wait.nanos / 10);
    }
  }

  /** A process waits from now on, or the session ends. */
  public void hurry(final long now) {
    if (!first && !hurried) {
      hurried = true;
      pause = Math.max(HURRIED_NANOS, nodes * HURRIED_NANOS_A_NODE);
      due = now;
    }
  }
}
