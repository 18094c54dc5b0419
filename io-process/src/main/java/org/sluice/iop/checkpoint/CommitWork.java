package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.sluice.core.posix.PosixException;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.Commit;
import org.sluice.core.store.Draft;
import org.sluice.core.store.DraftImage;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.drain.Work;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageLog;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Timed;
import org.sluice.iop.measure.Warnings;

/**
 * Commits a checkpoint: the write stage, behind all chunks of its images, says where their bytes
 * are; the last stage waits for the storage.
 */
final class CommitWork implements Work {
  /** Takes the outcome, exactly once; called by the last stage. */
  interface Outcome {
    void committed(Commit commit);

    void failed(IOException failure);
  }

  private final CheckpointStore store;
  private final Drain drain;
  private final long attempt;
  private final Draft draft;
  private final List<Member> members;
  private final Statistics statistics;
  private final Outcome outcome;
  private IOException lost;
  private boolean committed;

  /**
   * A checkpoint.
   *
   * @param attempt tells commits apart
   * @param draft everything but the images
   */
  CommitWork(
      final CheckpointStore store,
      final Drain drain,
      final long attempt,
      final Draft draft,
      final List<Member> members,
      final Statistics statistics,
      final Outcome outcome) {
    this.store = store;
    this.drain = drain;
    this.attempt = attempt;
    this.draft = draft;
    this.members = members;
    this.statistics = statistics;
    this.outcome = outcome;
  }

  @Override
  public void write() {
    drain.turn();
    try {
      for (final Member member : members) {
        draft.images().add(describe(member));
      }
    } catch (final IOException e) {
      lost = e;
    }
  }

  private static DraftImage describe(final Member member) throws IOException {
    final Image image = member.image();
    final ImageLog log = image.log();
    final Optional<Exception> failure = image.failure();
    if (failure.isPresent()) {
      throw failure.get() instanceof final PosixException posix
          ? new PosixException("store all bytes of " + member.path(), posix.errno())
          : new IOException(member.path() + ": " + failure.get().getMessage(), failure.get());
    }
    return new DraftImage(
        member.path(),
        member.rank(),
        member.ranks(),
        image.file().mode(),
        image.drainedSize(),
        image.id(),
        log.chunks(),
        image.file(),
        image.isOpenOutside());
  }

  @Override
  public void commit() throws IOException {
    if (lost != null) {
      throw lost;
    }
    final long began = System.nanoTime();
    store.commit(
        draft,
        commit -> {
          committed = true;
          statistics.took(Timed.COMMIT, began);
          outcome.committed(commit);
        });
  }

  /** What storage has lost is not committed later on either; what is committed stays that. */
  @Override
  public void fail(final IOException failure) {
    if (committed) {
      Warnings.warn(
          "checkpoint %d is committed, but what is older stays: %s"
              .formatted(draft.number(), failure.getMessage()));
      return;
    }
    drain.failLost(failure);
    members.stream()
        .map(Member::image)
        .filter(image -> image.file().isLost())
        .forEach(image -> image.fail(failure));
    outcome.failed(failure);
  }

  @Override
  public Subject subject() {
    return Subject.COMMIT;
  }

  @Override
  public long id() {
    return attempt;
  }
}
