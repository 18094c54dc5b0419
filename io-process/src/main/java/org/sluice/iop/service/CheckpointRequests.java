package org.sluice.iop.service;

import java.util.Optional;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.trigger.Checkpoints;
import org.sluice.iop.trigger.ExplicitCheckpoints;
import org.sluice.iop.wave.Waves;

/** The requests of processes about checkpoints. Service thread only. */
public final class CheckpointRequests {
  private final Checkpoints checkpoints;
  private final Publisher publisher;
  private final Attachments attachments;
  private final FileRequests files;
  private final Waves waves;

  public CheckpointRequests(
      final Checkpoints checkpoints,
      final Publisher publisher,
      final Attachments attachments,
      final FileRequests files,
      final Waves waves) {
    this.checkpoints = checkpoints;
    this.publisher = publisher;
    this.attachments = attachments;
    this.files = files;
    this.waves = waves;
  }

  /** Takes a request of any process; returns false for one that only an attached one makes. */
  boolean receive(final Optional<Attachment> asker, final Request request, final Caller caller) {
    switch (request) {
      case Request.ListCheckpoints() -> checkpoints.restarts().list(caller);
      case Request.Find find -> checkpoints.restarts().find(find.name(), caller);
      case Request.NameOf of -> checkpoints.restarts().nameOf(of.checkpoint(), caller);
      case Request.Restart restart -> checkpoints.restarts().restart(restart, caller);
      case Request.Await await ->
          asker
              .flatMap(waiter -> former(waiter, await))
              .ifPresentOrElse(caller::answer, () -> await(await, caller));
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Takes a request of an attached process; returns false for one that is about no checkpoint. */
  boolean receive(final Attachment attachment, final Request request, final Caller caller) {
    final ExplicitCheckpoints explicit = checkpoints.explicit();
    switch (request) {
      case Request.Read read -> checkpoints.restarts().read(read, attachment.process(), caller);
      case Request.Restore restore -> checkpoints.restarts().restore(restore, caller);
      case Request.Begin begin -> caller.answer(begin(attachment, begin));
      case Request.Hold hold -> caller.answer(explicit.hold(hold, attachment.writer()));
      case Request.Decide decide -> {
        explicit.decide(decide.checkpoint(), decide.commit() != 0);
        caller.answer(new Reply.Done());
      }
      case Request.Reuse reuse ->
          files
              .find(caller, attachment, reuse.imageId())
              .ifPresent(image -> caller.answer(explicit.reuse(image, reuse)));
      case Request.Complete complete -> caller.answer(complete(attachment, complete));
      case Request.Cancel cancel ->
          caller.answer(explicit.cancel(cancel.checkpoint(), attachment.writer()));
      case Request.Name name -> caller.answer(explicit.name(name, attachment.writer()));
      case Request.Wave wave -> caller.answer(waves.receive(wave));
      case Request.Orders() -> caller.answer(waves.next());
      default -> {
        return false;
      }
    }
    return true;
  }

  private Optional<Reply> former(final Attachment waiter, final Request.Await request) {
    return checkpoints.explicit().former(request.checkpoint(), waiter.writer().rank());
  }

  private void await(final Request.Await request, final Caller caller) {
    attachments.poll();
    final boolean written = checkpoints.groups().hurry(request.checkpoint());
    publisher.hurry(request.checkpoint());
    checkpoints.waiters().add(request, written, caller);
  }

  /** Begins a checkpoint. The files that the process created before are not of it. */
  private Reply begin(final Attachment attachment, final Request.Begin request) {
    attachments.poll();
    return checkpoints.explicit().begin(request, attachment.writer());
  }

  /** Completes a checkpoint. A request carried out by a former I/O process is answered now. */
  private Reply complete(final Attachment attachment, final Request.Complete request) {
    attachments.poll();
    if (attachments.wasRefused(attachment.process())) {
      checkpoints.explicit().unseen(request, attachment.process().pid());
    }
    return attachment.wasCompleted()
        ? new Reply.Done()
        : checkpoints.explicit().complete(request, attachment.index(), attachment.request());
  }
}
