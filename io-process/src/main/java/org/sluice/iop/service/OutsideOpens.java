package org.sluice.iop.service;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.sluice.core.request.Reply;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.outside.Guard;
import org.sluice.iop.outside.Leases;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The images that programs outside Sluice open. Such a program reads and writes the image's own
 * file and asks nobody. So the image becomes direct before the program may go on, as when a second
 * process under Sluice opens it. The file is written through the descriptor that this process has
 * had since the image was made: no file is opened for it.
 *
 * <p>Nobody tells when the program closes the file. So the image stays direct until the kernel
 * grants a lease on it, which it does when no other process has the file open. Service thread only.
 */
public final class OutsideOpens implements Guard.Listener {
  private static final long TURN_MILLIS = 100;

  private final ImageRegistry registry;
  private final Drain drain;

  private final Checkpoints checkpoints;
  private final Settling settling;
  private final Leases leases;
  private final Guard guard;
  private final Attachments attachments;

  /** The images that a program outside Sluice may still have open. */
  private final Set<Image> open = new LinkedHashSet<>();

  private int waiting;

  public OutsideOpens(
      final ImageRegistry registry,
      final Drain drain,
      final Checkpoints checkpoints,
      final Settling settling,
      final Leases leases,
      final Guard guard,
      final Attachments attachments) {
    this.checkpoints = checkpoints;
    this.registry = registry;
    this.drain = drain;
    this.settling = settling;
    this.guard = guard;
    this.leases = leases;
    leases.listen(this::noticed);
    checkpoints.explicit().passedOn(this::passedOn);
    this.attachments = attachments;
  }

  /**
   * Takes an open that waits for permission. A process whose shim opens the file tells of that
   * itself, before it reads or writes, unless it gets no slot. Any other open waits, in whichever
   * process: io_uring, and Go, call the kernel past the shim.
   */
  @Override
  public void asked(final ImageKey key, final int pid, final int thread, final Runnable allow) {
    final Image image = registry.find(key);
    if (image == null || pid > 0 && attachments.mayAttach(pid) && attachments.isUnderShim(pid)) {
      allow.run();
    } else {
      waiting++;
      show(
          image,
          attachments.isUnderShim(thread) ? Reason.SYSCALL : Reason.FOREIGN,
          () -> goOn(allow));
    }
  }

  /** Lets a program go on. Any thread. */
  private void goOn(final Runnable allow) {
    allow.run();
    drain.service().execute(() -> waiting--);
  }

  @Override
  public void held(final Image image) {
    show(image, Reason.FOREIGN, () -> drain.service().execute(() -> guard.unlease(image)));
  }

  @Override
  public void opened(final Image image) {
    leases.noticed(image);
  }

  /** Takes an image that a program outside has open already. */
  private void noticed(final Image image) {
    show(image, Reason.FOREIGN, () -> {});
  }

  /** Makes the image's own file hold everything, for good. */
  private void show(final Image image, final Reason reason, final Runnable done) {
    attachments.pollOpeners(image);
    image.openOutside(true);
    open.add(image);
    if (image.state() == ImageDescriptor.STATE_COMMITTED) {
      checkpoints
          .replacements()
          .unshare(
              image,
              () -> settle(image, reason, done),
              failure -> {
                Warnings.warn(
                    "%s is committed and cannot be shown to a program outside Sluice: %s"
                        .formatted(image.opened(), failure.getMessage()));
                done.run();
              });
    } else {
      settle(image, reason, done);
    }
  }

  private void settle(final Image image, final Reason reason, final Runnable done) {
    if (image.state() != ImageDescriptor.STATE_DIRECT) {
      settling.makeDirect(image, reason, false);
    }
    drain.answer(any -> done.run(), Reply.Done::new);
    drain.continueAfter(image::unprotect);
  }

  /**
   * Returns the time until the next step is due, in milliseconds, at most a limit. While a program
   * waits this thread says again and again that it makes progress.
   */
  public long patience(final long limit) {
    return waiting > 0 ? Math.min(limit, TURN_MILLIS) : limit;
  }

  /** Takes over an image of a former I/O process that a program outside may have open. */
  public void resume(final Image image) {
    if (image.state() == ImageDescriptor.STATE_DIRECT) {
      image.openOutside(true);
      open.add(image);
    } else if (image.openers().isEmpty()) {
      leases.closed(image);
    }
  }

  private void passedOn(final Image image) {
    if (guard.tellsOfOpens()) {
      arrived(image);
    }
  }

  /**
   * Takes an image that arrived, or was passed on by a fork or an exec. A process that tells
   * nothing of it may still have it open.
   */
  void arrived(final Image image) {
    image.openOutside(true);
    open.add(image);
    look(image);
  }

  public void beat() {
    List.copyOf(open).forEach(this::look);
  }

  private void look(final Image image) {
    if (registry.find(image.id()) != image) {
      open.remove(image);
    } else if (image.openers().isEmpty() && !guard.isOpenElsewhere(image)) {
      image.openOutside(false);
      open.remove(image);
      registry.descriptors().idle(image);
      checkpoints.explicit().released(image);
      if (drain.layout().forgetsClosed() && !checkpoints.groups().mayHave(image)) {
        checkpoints.releases().release(image);
      }
    }
  }
}
