package org.sluice.iop.publish;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.stage.StageReport;
import org.sluice.core.store.stage.StageReport.State;
import org.sluice.iop.measure.Warnings;

/** The progress of a session's copies, which the session tells beside them. Not thread-safe. */
final class UploadProgress {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int WHOLE = 100;

  /** The most checkpoints of which something is told, the latest ones. */
  private static final int MOST = 1000;

  private final Path directory;
  private final Map<Long, StageReport.Line> lines = new LinkedHashMap<>();

  /** The commit that is being copied; null for none. */
  private Commit current;

  private long sent;
  private long written = System.nanoTime();
  private boolean changed;
  private boolean failed;

  public UploadProgress(final PosixStore store) {
    this.directory = store.directory();
  }

  public void say(final Commit commit, final State state) {
    say(commit, state, 0);
  }

  private void say(final Commit commit, final State state, final int percent) {
    lines.put(commit.id(), new StageReport.Line(commit.id(), commit.number(), state, percent));
    if (lines.size() > MOST) {
      lines.remove(lines.keySet().iterator().next());
    }
    changed = true;
  }

  public void begin(final Commit commit) {
    current = commit;
    sent = 0;
    say(commit, State.COPYING, 0);
  }

  public void piece(final long bytes) {
    say(current, State.COPYING, (int) (WHOLE * sent / Math.max(1, current.content().bytes())));
    sent += bytes;
    if (System.nanoTime() - written > PAUSE_NANOS) {
      write();
    }
  }

  public void end(final Commit commit) {
    if (lines.get(commit.id()).state() == State.COPYING) { // else it counts by now
      say(commit, State.COPIED);
    }
    current = null;
    sent = 0;
  }

  /** Bytes of what is being copied that were sent. */
  public long sent() {
    return sent;
  }

  /** Tells it, if it is new. A report that nobody needs may fail, as on a full stage. */
  public void write() {
    if (!changed) {
      return;
    }
    changed = false;
    written = System.nanoTime();
    try {
      StageReport.write(directory, lines.values());
      failed = false;
    } catch (final IOException e) {
      if (!failed) {
        failed = true;
        Warnings.warn("the stage does not tell how far copies are: " + e.getMessage());
      }
    }
  }
}
