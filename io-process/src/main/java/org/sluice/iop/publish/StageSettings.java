package org.sluice.iop.publish;

import java.nio.file.Path;

/**
 * The settings by which checkpoints get from a stage to a bucket.
 *
 * @param directory the stage, absolute
 * @param rate bytes a second that a node copies at most, or {@link #NO_LIMIT}
 * @param every each how manieth checkpoint leaves the stage, from 1
 * @param global whether those who wait for one that leaves wait for all nodes
 */
public record StageSettings(Path directory, String uri, long rate, int every, boolean global) {
  /** The rate of a copy that goes as fast as it can. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  /** Returns the settings of a user who says nothing. */
  public static StageSettings of(final Path directory, final String uri) {
    return new StageSettings(directory, uri, NO_LIMIT, 1, true);
  }
}
