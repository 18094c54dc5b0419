package org.sluice.profile.trace;

/**
 * The time that a call took.
 *
 * @param begin in nanoseconds since the epoch
 * @param duration in nanoseconds, at least 0
 */
public record CallTime(long begin, long duration) {
  /** Returns the end in nanoseconds since the epoch. */
  public long end() {
    return begin + duration;
  }
}
