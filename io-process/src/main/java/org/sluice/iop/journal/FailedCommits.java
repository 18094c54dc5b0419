package org.sluice.iop.journal;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Why checkpoints are not committed, for those who ask later and for the exit status: of the latest
 * {@value #MOST} whose commit failed and that were not begun anew since. Not thread-safe.
 */
public final class FailedCommits {
  static final int MOST = 1000;

  private final Map<Long, Entry.Ended> byNumber = new LinkedHashMap<>();

  /** None yet. */
  public FailedCommits() {}

  /**
   * Adds one; the oldest may go.
   *
   * @param number of the checkpoint
   * @param end how its commit ended
   */
  public void add(final long number, final Entry.Ended end) {
    byNumber.remove(number);
    byNumber.put(number, end);
    if (byNumber.size() > MOST) {
      byNumber.remove(byNumber.keySet().iterator().next());
    }
  }

  /**
   * Lets go of one that is committed after all, begun anew or deleted.
   *
   * @param number of the checkpoint
   */
  public void remove(final long number) {
    byNumber.remove(number);
  }

  /**
   * Looks one up.
   *
   * @param number of the checkpoint
   * @return how its commit ended; nothing when it did not fail, or long ago
   */
  public Optional<Entry.Ended> find(final long number) {
    return Optional.ofNullable(byNumber.get(number));
  }

  /**
   * All of them.
   *
   * @return by number, the oldest first
   */
  public Map<Long, Entry.Ended> byNumber() {
    return Collections.unmodifiableMap(byNumber);
  }
}
