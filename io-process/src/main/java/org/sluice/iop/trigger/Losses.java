package org.sluice.iop.trigger;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.sluice.core.libc.Errno;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.ImageRelease;
import org.sluice.iop.group.Groups;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.MissingException;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Statistics;

/** The report on losses at the end of a run. Service thread only. */
public final class Losses {
  private final CheckpointState state;
  private final CapturedFiles files;
  private final Statistics statistics;
  private final Groups groups;
  private final ImageRelease releases;

  public Losses(
      final CheckpointState state,
      final CapturedFiles files,
      final Statistics statistics,
      final Groups groups,
      final ImageRelease releases) {
    this.state = state;
    this.files = files;
    this.statistics = statistics;
    this.groups = groups;
    this.releases = releases;
  }

  private long countUnnamed() {
    return files.registry().all().stream()
        .filter(
            image -> image.reason() == Reason.NODES && image.added() == null && !groups.has(image))
        .count();
  }

  /**
   * Returns the failure of a commit. If the commit was never tried, all bytes are in the program's
   * own files.
   */
  private static Failure failure(final Entry.Ended end) {
    return new Failure(
        end.attempt() == CheckpointState.NO_ATTEMPT ? CheckpointState.REFUSED : end.errno(),
        end.reason());
  }

  /** Returns whether a program gave its checkpoint up, or completed it with nothing in it. */
  private static boolean isOfProgram(final Entry.Ended end) {
    return end.attempt() == CheckpointState.GIVEN_UP
        && (end.errno() == Errno.ECANCELED || end.errno() == Errno.ENODATA);
  }

  /**
   * Reports files that no checkpoint has, checkpoints that could not be committed, and lost bytes.
   * Lost bytes of a deleted file are not reported.
   *
   * @throws IOException when the capture directory cannot be searched
   */
  public void report() throws IOException {
    files.shared().report(countUnnamed());
    state.lost().stream()
        .filter(end -> !groups.isUnasked(end) && !isOfProgram(end))
        .forEach(end -> statistics.failed(failure(end)));
    final Map<ImageKey, Exception> losses = releases.losses();
    if (!losses.isEmpty()) {
      final Set<ImageKey> named = files.capture().names().keySet();
      losses
          .entrySet()
          .removeIf(
              loss ->
                  !named.contains(loss.getKey()) && !(loss.getValue() instanceof MissingException));
      losses.values().forEach(loss -> statistics.failed(Failure.of(loss)));
    }
  }
}
