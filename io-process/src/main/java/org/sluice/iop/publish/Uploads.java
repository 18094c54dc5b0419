package org.sluice.iop.publish;

import java.io.IOException;
import java.util.List;
import org.sluice.iop.measure.Retained;

/**
 * The uploads of checkpoints from a stage to the bucket where they count for all nodes. By default
 * there are none, as the node's store is no stage. Service thread, unless a method says otherwise.
 */
public interface Uploads {
  /** The uploads of a store that is no stage. */
  Uploads NONE = new Uploads() {};

  /**
   * Returns whether a checkpoint is copied as soon as it is there, by its place among those of the
   * run. Any thread.
   */
  default boolean include(final long place) {
    return false;
  }

  /** Returns whether waiters for a checkpoint that is copied wait for the bucket. Any thread. */
  default boolean areGlobal() {
    return false;
  }

  /** The node's store has a checkpoint that is to be copied. Any thread. */
  default void begin(final PendingUpload one) {}

  /** A former I/O process was copying a checkpoint. */
  default void resume(final PendingUpload one) {}

  /** The node's store has a checkpoint that is copied only if it is the newest at the end. */
  default void keep(final PendingUpload one) {}

  /** Returns the numbers of checkpoints on the way, which do not count for all nodes yet. */
  default List<Long> numbers() {
    return List.of();
  }

  /**
   * Nothing follows but what no group took: the newest checkpoint is copied, too. Before that is,
   * as what counts last is the newest to all nodes.
   */
  default void beginNewest() {}

  /** The session ends: a copy that makes no progress for a while is given up. */
  default void end() {}

  /**
   * Leaves on the stage what does not count yet, where that is for others than this node only, as
   * its user says who waits for this node alone.
   *
   * @return false also before the session waits for copies
   */
  default boolean giveUp(final IOException why) {
    return false;
  }

  /** Returns whether there is nothing left to copy, also as all was given up. Any thread. */
  default boolean areOver() {
    return true;
  }

  /** Returns whether a checkpoint stays on the stage that was to be copied. Any thread. */
  default boolean areRefused() {
    return false;
  }

  /** Returns how many bytes are still to be copied, holes included. Any thread. */
  default long bytes() {
    return 0;
  }

  /** Says what {@code --keep} has removed from the bucket, and what stays there. Any thread. */
  default void report(final Retained to) {}
}
