package org.sluice.iop.service;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.sluice.core.fault.Fault;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The end of a session, step by step. Processes go, the pipeline runs dry, the remaining files are
 * made plain, committed names are removed. Service thread only.
 */
public final class Ending {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Publisher publisher;
  private final Drain drain;
  private final Statistics statistics;
  private final Checkpoints checkpoints;
  private final Settling settling;
  private final UncountedWrites unseen;
  private final SmallFileSync unannounced;
  private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private boolean succeeded;
  private long deadline;
  private boolean waiting;

  /** The time since which markers of other nodes are waited for; 0 for not. */
  private long marking;

  private boolean searching;

  /** True while other nodes are waited for. */
  private boolean committing;

  private boolean copying;

  /** Creates the end of a session, which is yet to begin. */
  public Ending(
      final Publisher publisher,
      final Drain drain,
      final Statistics statistics,
      final Checkpoints checkpoints,
      final Settling settling,
      final UncountedWrites unseen,
      final SmallFileSync unannounced) {
    this.publisher = publisher;
    this.drain = drain;
    this.statistics = statistics;
    this.checkpoints = checkpoints;
    this.settling = settling;
    this.unseen = unseen;
    this.unannounced = unannounced;
  }

  /**
   * Begins the end.
   *
   * @param success whether the command succeeded, so that nothing was still to come
   */
  public void begin(final boolean success) {
    succeeded = success;
    deadline = System.nanoTime() + PATIENCE_NANOS;
    waiting = true;
    begun.complete(success);
  }

  public boolean hasBegun() {
    return begun.isDone();
  }

  /** Returns a future completed when the end has begun, with whether the command succeeded. */
  public CompletableFuture<Boolean> begun() {
    return begun;
  }

  /** Returns a future completed when everything is drained and committed; never exceptionally. */
  public CompletableFuture<Void> over() {
    return over;
  }

  /**
   * Returns whether this node has no more to do itself. A user who does not want to wait need not.
   */
  boolean waitsForOthers() {
    final boolean asks = marking != 0 || committing && publisher.awaitsNodes();
    return (asks || copying) && drain.isEmpty();
  }

  /** Goes on as soon as all processes are gone, or have had their time. */
  public void proceed() {
    if (waiting && (settling.areWritersIdle() || System.nanoTime() - deadline > 0)) {
      waiting = false;
      settling.dismissWriters();
      then(this::commitOnceFound);
    } else if (searching) {
      commitOnceFound();
    } else if (marking != 0) {
      commitOnceMarked();
    } else if (committing) {
      settleOnceCommitted();
    } else if (copying) {
      endOnceCopied();
    }
  }

  /**
   * Commits once the last names were found. They may tell which files are one checkpoint, which the
   * store then has to remember.
   */
  private void commitOnceFound() {
    if (!searching) {
      checkpoints.groups().lookOnceMore();
    }
    searching = checkpoints.groups().areAskedFor();
    if (!searching) {
      commit();
    }
  }

  private void commit() {
    if (publisher.awaitsNodes()) {
      publisher.endCommits();
      marking = System.nanoTime();
    }
    commitOnceMarked();
  }

  /**
   * Commits once markers of other nodes have come or had their time. A process of another node may
   * be about to write the marker of a checkpoint. Where there is a limit half of the time to it is
   * left to wait for parts.
   */
  private void commitOnceMarked() {
    if (marking != 0
        && System.nanoTime() - marking < publisher.patience()
        && checkpoints.groups().awaitMarkers()) {
      return;
    }
    marking = 0;
    if (checkpoints.mayExist()) {
      attempt("what is not committed stays plain files", this::commitLeftovers);
    }
    then(
        () -> {
          checkpoints.retention().lookAtFiles(true);
          settleOnceCommitted();
        });
  }

  /**
   * Settles once the commits are over. Other nodes may lack their parts of a checkpoint of several
   * nodes. Older checkpoints are being removed.
   */
  private void settleOnceCommitted() {
    committing = checkpoints.areCommitting() || !checkpoints.retention().isIdle();
    if (!committing) {
      settle();
    }
  }

  private void commitLeftovers() throws IOException {
    checkpoints.endOfRun().reclaim();
    checkpoints.endOfRun().commit(succeeded);
  }

  private void settle() {
    checkpoints.groups().settle();
    unseen.last();
    checkpoints.explicit().discardAll();
    checkpoints.lastSettling().settle(this::finish);
  }

  private void finish() {
    attempt("files of which bytes were lost may still be there", checkpoints.losses()::report);
    try {
      checkpoints.endOfRun().noteFiles();
    } catch (final IOException e) {
      Warnings.warn("the store does not know where plain files are: " + e.getMessage());
    }
    attempt("files that no process announced may not be durable", unannounced::sync);
    if (drain.layout().commitsNames()) {
      attempt(
          "what programs wrote past Sluice is in no count", checkpoints.endOfRun()::countUntold);
    } else {
      attempt(
          "committed files stay where they were; restore them instead of using those",
          checkpoints.endOfRun()::unlinkCommitted);
    }
    copying = true;
    publisher.uploads().beginNewest();
    endOnceCopied();
  }

  private void endOnceCopied() {
    publisher.uploads().end();
    copying = !publisher.uploads().areOver();
    if (!copying) {
      checkpoints.retention().report();
      over.complete(null);
    }
  }

  /** Takes a step at whose failure the session ends all the same. */
  private void attempt(final String consequence, final Fault.Step<IOException> step) {
    try {
      step.run();
    } catch (final IOException e) {
      Warnings.warn(consequence + ": " + e.getMessage());
      statistics.failed(Failure.of(e));
    }
  }

  private void then(final Runnable step) {
    drain.continueAfter(step);
  }
}
