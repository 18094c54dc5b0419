package org.sluice.iop.checkpoint;

import java.io.IOException;
import org.sluice.core.store.model.Commit;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;

/**
 * A checkpoint that the stage has and that leaves it: who learns what becomes of it.
 *
 * @param context of the session
 * @param commit as the stage has it
 * @param round the round of writing it
 * @param growth how many times it was decided before in that round
 * @param writing how often the checkpoint was begun, as those who wait know
 * @param since when the stage has got it, in nanoseconds
 */
record PendingUpload(
    Context context, Commit commit, long round, long growth, int writing, long since) {
  PendingUpload(
      final Context context,
      final Commit commit,
      final long round,
      final long growth,
      final int writing) {
    this(context, commit, round, growth, writing, System.nanoTime());
  }

  /**
   * Whether a checkpoint leaves the stage as soon as it is there. Of the others the newest does at
   * the end. Service thread only.
   */
  static boolean leaves(final Context context, final long number) {
    return context.copies() != null
        && context.state().place(number) % context.copies().every() == 0;
  }

  /** The stage has it. Last stage, before the journal says that the commit there is over. */
  void begin(final boolean leaves) {
    if (leaves) {
      begin();
    } else {
      context.copies().keep(this);
    }
  }

  /** It is on its way, also for a process that comes after a kill. Any thread. */
  void begin() {
    context.journal().write(new Entry.Leaving(commit.id(), round, growth));
    context.copies().add(this);
  }

  /** It counts for all nodes. Any thread. */
  void counts() {
    context.journal().write(new Entry.Leaving(commit.id(), Entry.NO_ROUND, growth));
    context
        .service()
        .execute(
            () -> {
              context.waiters().committed(commit.number(), writing);
              context.waiters().answer(commit.number());
            });
  }

  /** It is tried again, but that may take long. Any thread. */
  void delayed(final IOException why) {
    if (context.copies().areGlobal()) {
      final Failure failure = Failure.of(why);
      context.service().execute(() -> context.waiters().delayed(commit.number(), failure));
    }
  }

  /** It stays where it is. Any thread. */
  void refused(final IOException why) {
    final Failure failure = Failure.of(why);
    final String text =
        "checkpoint %d is only in %s of this node: %s"
            .formatted(commit.number(), context.store().directory(), failure.reason());
    Warnings.warn(text);
    if (context.copies().areGlobal()) {
      context.statistics().failed(new Failure(failure.errno(), text));
      context.service().execute(() -> context.waiters().refused(commit.number(), writing, failure));
    }
  }
}
