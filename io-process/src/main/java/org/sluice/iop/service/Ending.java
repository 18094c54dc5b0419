package org.sluice.iop.service;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.sluice.core.fault.Fault;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The end of a session, step by step. Processes go, the pipeline runs dry, the remaining files are
 * made plain, committed names are removed. Service thread only.
 */
public final class Ending {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Context context;
  private final Checkpoints checkpoints;
  private final boolean succeeded;
  private final Attachments attachments;
  private final Settling settling;
  private final UncountedWrites unseen;
  private final SmallFileSync unannounced;
  private final CompletableFuture<Void> over;
  private final long deadline = System.nanoTime() + PATIENCE_NANOS;
  private boolean waiting = true;

  /** The time since which markers of other nodes are waited for; 0 for not. */
  private long marking;

  private boolean searching;

  /** True while other nodes are waited for. */
  private boolean committing;

  private boolean copying;

  /**
   * Creates the end of a session.
   *
   * @param succeeded whether the command did, so that nothing was still to come
   * @param over future completed at last
   */
  public Ending(
      final Context context,
      final Checkpoints checkpoints,
      final boolean succeeded,
      final Attachments attachments,
      final Settling settling,
      final UncountedWrites unseen,
      final SmallFileSync unannounced,
      final CompletableFuture<Void> over) {
    this.checkpoints = checkpoints;
    this.context = context;
    this.succeeded = succeeded;
    this.attachments = attachments;
    this.settling = settling;
    this.unseen = unseen;
    this.unannounced = unannounced;
    this.over = over;
  }

  /**
   * Returns whether this node has no more to do itself. A user who does not want to wait need not.
   */
  boolean waitsForOthers() {
    final boolean asks = marking != 0 || committing && context.publisher().awaitsNodes();
    return (asks || copying) && context.drain().isEmpty();
  }

  /** Goes on as soon as all processes are gone, or have had their time. */
  public void proceed() {
    if (waiting
        && (attachments.all().stream().allMatch(Attachment::isIdle)
            || System.nanoTime() - deadline > 0)) {
      waiting = false;
      attachments.close();
      List.copyOf(attachments.all()).forEach(this::dismiss);
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
   * Dismisses a process that stays. Its files become plain: its later writes go through the kernel.
   */
  private void dismiss(final Attachment attachment) {
    if (!attachment.isIdle()) {
      Warnings.warn(attachment + " is still there; its files are plain from here on");
    }
    for (final Image image : List.copyOf(attachment.images().keySet())) {
      if (image.state() == ImageDescriptor.STATE_DIVERTED) {
        settling.makeDirect(image, Reason.LOST, false);
      }
    }
    attachments.end(attachment);
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
    if (context.publisher().awaitsNodes()) {
      context.publisher().endCommits();
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
        && System.nanoTime() - marking < context.publisher().patience()
        && checkpoints.groups().awaitMarkers()) {
      return;
    }
    marking = 0;
    if (context.mayHaveCheckpoints()) {
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
    committing = !context.state().commits().isEmpty() || !checkpoints.retention().isIdle();
    if (!committing) {
      settle();
    }
  }

  private void commitLeftovers() throws IOException {
    checkpoints.leftovers().reclaim();
    checkpoints.leftovers().commit(succeeded);
  }

  private void settle() {
    unseen.last();
    checkpoints.explicit().discardAll();
    checkpoints.leftovers().settle(this::finish);
  }

  private void finish() {
    attempt(
        "files of which bytes were lost may still be there", checkpoints.leftovers()::reportLosses);
    try {
      checkpoints.leftovers().noteFiles();
    } catch (final IOException e) {
      Warnings.warn("the store does not know where plain files are: " + e.getMessage());
    }
    attempt("files that no process announced may not be durable", unannounced::sync);
    if (context.layout().commitsNames()) {
      attempt(
          "what programs wrote past Sluice is in no count", checkpoints.leftovers()::countUntold);
    } else {
      attempt(
          "committed files stay where they were; restore them instead of using those",
          checkpoints.leftovers()::unlinkCommitted);
    }
    copying = true;
    context.publisher().uploadNewest();
    endOnceCopied();
  }

  private void endOnceCopied() {
    context.publisher().endUploads();
    copying = !context.publisher().areUploadsOver();
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
      context.statistics().failed(Failure.of(e));
    }
  }

  private void then(final Runnable step) {
    context.afterwards(step);
  }
}
