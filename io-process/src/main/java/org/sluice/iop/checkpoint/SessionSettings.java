package org.sluice.iop.checkpoint;

import java.time.Duration;

/**
 * The name of a session, its checkpoints and its end.
 *
 * @param name name of the I/O process, and of the job in its checkpoints
 * @param store the store as its user names it, an absolute path or a URI
 * @param endsWithMembers whether the session ends when its last member has left
 * @param grace time that it goes on once it is to stop
 */
public record SessionSettings(
    String name,
    String store,
    CheckpointSettings checkpoints,
    boolean endsWithMembers,
    Duration grace) {

  /** Returns the settings of the same session with files that are in no checkpoint. */
  public SessionSettings ungrouped() {
    return new SessionSettings(name, store, checkpoints.ungrouped(), endsWithMembers, grace);
  }
}
