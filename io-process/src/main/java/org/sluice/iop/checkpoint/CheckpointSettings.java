package org.sluice.iop.checkpoint;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.sluice.core.store.model.Keeping;

/**
 * The checkpoints of a session, as its user wants them.
 *
 * @param grouping rule by which captured files are one checkpoint
 * @param alone pattern of the paths of files that one node alone opens; empty where nothing says so
 * @param writers number of this node's ranks that write a checkpoint, 0 for all
 * @param keep number of a series' checkpoints that stay
 * @param settle time without a write after which an unfinished checkpoint is in plain files
 */
public record CheckpointSettings(
    Grouping grouping, Optional<Pattern> alone, int writers, Keeping keep, Duration settle) {

  CheckpointSettings ungrouped() {
    return new CheckpointSettings(Grouping.NONE, alone, writers, keep, settle);
  }
}
