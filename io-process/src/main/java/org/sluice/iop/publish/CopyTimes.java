package org.sluice.iop.publish;

import java.util.concurrent.TimeUnit;

/** The waits of a {@code BucketUploader}, which guards them. */
final class CopyTimes {
  /** The time without a piece after which the storage has failed, to those who wait. */
  private static final long PATIENCE_NANOS = EndPatience.nanos();

  /** The time after which a long copy looks again whether another run has begun. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** The time when the last piece went, but for the time that the next one was not to be sent. */
  private long progress = System.nanoTime();

  private boolean begun;
  private long looked = progress;

  /** The time until which other nodes may be copying what this one has copied. */
  private long others = progress;

  /** The time when a grace is over; null without one. */
  private Long deadline;

  public void begins() {
    begun = false;
  }

  /** A piece is to be sent: the one before went. */
  public void piece(final long now) {
    progress = begun ? now : progress;
    begun = true;
  }

  /** The piece was not to be sent for that long. */
  public void waited(final long nanos) {
    progress += nanos;
  }

  /** Returns whether it is time to look for another run. */
  public boolean looks(final long now) {
    final boolean looks = now - looked > LOOK_NANOS;
    looked = looks ? now : looked;
    return looks;
  }

  /** The stage had it since then. Other nodes may take twice the time. */
  public void copied(final long since) {
    progress = System.nanoTime();
    others = Math.max(2 * progress - since - others, 0) + others;
  }

  public void ends() {
    progress = System.nanoTime();
  }

  public boolean areStalled() {
    return System.nanoTime() - progress > PATIENCE_NANOS;
  }

  /** The session has to be over then. */
  public void limit(final long nanos) {
    deadline = nanos;
  }

  /**
   * Returns how long other nodes may still be copying; 0 in a grace, in which nobody waits for
   * them.
   */
  public long ofOthers() {
    return deadline != null ? 0 : others - System.nanoTime();
  }

  /**
   * Returns how long their parts may take. In a grace that is nearly all of it, as no file has to
   * become plain then.
   */
  public long patience() {
    return deadline == null ? Long.MAX_VALUE : Math.max(0, (deadline - System.nanoTime()) / 10 * 9);
  }
}
