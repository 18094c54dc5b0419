package org.sluice.iop.checkpoint;

import java.io.IOException;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.publish.PendingUpload;

/**
 * Tells journal, statistics and those who wait what becomes of an upload.
 *
 * @param writing how often the checkpoint was begun, as those who wait know
 */
public record UploadOutcome(Context context, int writing) implements PendingUpload.Listener {
  @Override
  public void begins(final PendingUpload one) {
    context.journal().write(new Entry.Leaving(one.commit().id(), one.round(), one.growth()));
  }

  @Override
  public void counts(final PendingUpload one) {
    final long number = one.commit().number();
    context.journal().write(new Entry.Leaving(one.commit().id(), Entry.NO_ROUND, one.growth()));
    context
        .service()
        .execute(
            () -> {
              context.waiters().committed(number, writing);
              context.waiters().answer(number);
            });
  }

  @Override
  public void delayed(final PendingUpload one, final IOException why) {
    if (context.publisher().awaitsUpload()) {
      final Failure failure = Failure.of(why);
      context.service().execute(() -> context.waiters().delayed(one.commit().number(), failure));
    }
  }

  @Override
  public void refused(final PendingUpload one, final IOException why) {
    final Failure failure = Failure.of(why);
    final long number = one.commit().number();
    final String text =
        "checkpoint %d is only in %s of this node: %s"
            .formatted(number, context.store().directory(), failure.reason());
    Warnings.warn(text);
    if (context.publisher().awaitsUpload()) {
      context.statistics().failed(new Failure(failure.errno(), text));
      context.service().execute(() -> context.waiters().refused(number, writing, failure));
    }
  }
}
