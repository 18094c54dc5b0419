package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import org.sluice.core.store.model.Commit;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.CommitTimes;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.OpenTimes;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.publish.PendingUpload;

/**
 * The news of commits and uploads to journal, statistics and the processes that wait. Service
 * thread only, but for methods that name the last stage.
 */
public final class CommitOutcomes {
  private final Decisions decisions;
  private final Waiters waiters;
  private final CheckpointStorage storage;
  private final Statistics statistics;
  private final Executor service;

  public CommitOutcomes(
      final Decisions decisions,
      final Waiters waiters,
      final CheckpointStorage storage,
      final Statistics statistics,
      final Executor service) {
    this.decisions = decisions;
    this.waiters = waiters;
    this.storage = storage;
    this.statistics = statistics;
    this.service = service;
  }

  /** Answers those who wait for a checkpoint that was given up. */
  void givenUp(final Entry.Ended end) {
    waiters.failed(end, waiters.writing(end.checkpoint()));
  }

  /** Notes that a checkpoint is begun: from now on no older commit of it answers a process. */
  void begun(final long number) {
    waiters.begun(number);
  }

  /** Notes that files joined a committed checkpoint. */
  void grown(final long number, final boolean isNextUnderWay) {
    waiters.grown(number, isNextUnderWay);
  }

  /** Returns the outcome of a commit that is about to begin. */
  Outcome of(final Entry.Committing decision) {
    return new Outcome(decision);
  }

  /** Returns the upload of a checkpoint that a former I/O process committed, not yet begun. */
  public PendingUpload pending(final Commit commit, final long round, final long growth) {
    return new PendingUpload(
        commit, round, growth, new UploadNews(waiters.writing(commit.number())));
  }

  /** The outcome of one commit. */
  final class Outcome {
    private final Entry.Committing decision;

    /** The number of times that the checkpoint had been begun at the decision. */
    private final int writing;

    /** True if the checkpoint leaves the stage, where there is one. */
    private final boolean leaves;

    private Outcome(final Entry.Committing decision) {
      this.decision = decision;
      this.writing = waiters.writing(decision.checkpoint());
      this.leaves =
          storage.publisher().uploads().include(decisions.state().place(decision.checkpoint()));
    }

    /** Uploads the commit if it leaves the stage. Last stage. */
    void stored(final Commit commit) {
      final PendingUpload upload =
          new PendingUpload(commit, decision.round(), decision.growth(), new UploadNews(writing));
      if (leaves) {
        storage.publisher().uploads().begin(upload);
      } else {
        storage.publisher().uploads().keep(upload);
      }
    }

    /** Writes the end of the commit down. Last stage. */
    Entry.Ended end(final int errno, final String reason) {
      return decisions
          .journal()
          .write(new Entry.Ended(decision.attempt(), decision.checkpoint(), errno, reason));
    }

    /** Counts how long the commit took, and tells those who wait for no other node. */
    void committed(final Commit commit, final List<Image> members, final long endedAt) {
      final OpenTimes openings = new OpenTimes();
      for (final Image image : members) {
        openings.add(image.times());
        statistics.durable(image.times().first(), endedAt);
      }
      statistics.committed(CommitTimes.of(commit, openings, endedAt));
      if (!leaves || !storage.publisher().uploads().areGlobal()) {
        waiters.committed(commit.number(), writing);
      }
    }

    /** Notes the end of a failed commit, whose images have room in the store still. */
    void ended(final Entry.Ended end) {
      waiters.ended(end, writing);
    }

    /** Tells those who wait that the commit failed. */
    void failed(final Entry.Ended end) {
      waiters.failed(end, writing);
    }

    /** Answers those whose checkpoint is decided. */
    void answer() {
      waiters.answer(decision.checkpoint());
    }
  }

  /** The news of an upload, for a checkpoint that was begun some number of times. */
  private final class UploadNews implements PendingUpload.Listener {
    private final int writing;

    UploadNews(final int writing) {
      this.writing = writing;
    }

    @Override
    public void begins(final PendingUpload one) {
      decisions.journal().write(new Entry.Leaving(one.commit().id(), one.round(), one.growth()));
    }

    @Override
    public void counts(final PendingUpload one) {
      final long number = one.commit().number();
      decisions.journal().write(new Entry.Leaving(one.commit().id(), Entry.NO_ROUND, one.growth()));
      service.execute(
          () -> {
            waiters.committed(number, writing);
            waiters.answer(number);
          });
    }

    @Override
    public void delayed(final PendingUpload one, final IOException why) {
      if (storage.publisher().uploads().areGlobal()) {
        final Failure failure = Failure.of(why);
        service.execute(() -> waiters.delayed(one.commit().number(), failure));
      }
    }

    @Override
    public void refused(final PendingUpload one, final IOException why) {
      final Failure failure = Failure.of(why);
      final long number = one.commit().number();
      final String text =
          "checkpoint %d is only in %s of this node: %s"
              .formatted(number, storage.store().directory(), failure.reason());
      Warnings.warn(text);
      if (storage.publisher().uploads().areGlobal()) {
        statistics.failed(new Failure(failure.errno(), text));
        service.execute(() -> waiters.refused(number, writing, failure));
      }
    }
  }
}
