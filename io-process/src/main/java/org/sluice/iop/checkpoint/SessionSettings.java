package org.sluice.iop.checkpoint;

import java.time.Duration;
import java.util.regex.Pattern;
import org.sluice.core.store.model.Keeping;

/**
 * The settings by which a session makes checkpoints and ends.
 *
 * @param name what the I/O process is called, and the job in its checkpoints
 * @param store the store as its user names it, an absolute path or a URI
 * @param grouping which captured files are one checkpoint
 * @param alone a file of such a path one node alone opens; null where nothing says so
 * @param writers how many ranks of this node write a checkpoint, 0 for all
 * @param keep how many checkpoints of a series stay
 * @param settle after how long without a write a checkpoint that is not whole is in plain files
 * @param endsWithMembers whether the session ends when its last member has left
 * @param grace how long it goes on once it is to stop
 */
public record SessionSettings(
    String name,
    String store,
    Grouping grouping,
    Pattern alone,
    int writers,
    Keeping keep,
    Duration settle,
    boolean endsWithMembers,
    Duration grace) {

  /**
   * The same of a session whose files are in no checkpoint.
   *
   * @return settings without a grouping
   */
  public SessionSettings ungrouped() {
    return new SessionSettings(
        name, store, Grouping.NONE, alone, writers, keep, settle, endsWithMembers, grace);
  }
}
