package org.sluice.iop.service;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.sluice.core.request.Reply;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Checkpoints;
import org.sluice.iop.checkpoint.Farewells;
import org.sluice.iop.checkpoint.Replacements;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.guard.Guard;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/**
 * Images that programs outside Sluice open. Such a program reads and writes the image's own file
 * and asks nobody, so the image becomes direct before it may go on, as when a second process under
 * Sluice opens it. The file is written through the descriptor that this process has had since the
 * image was made: nothing is opened for it.
 *
 * <p>Nobody says when it closes the file. So the image stays direct until the kernel grants a lease
 * on it, which it does when no other has the file open. Service thread only.
 */
final class OutsideOpens implements Guard.Listener {
  private final ImageRegistry registry;
  private final Settling settling;
  private final Replacements replacements;
  private final Farewells farewells;
  private final Drain drain;
  private final Guard guard;
  private final ShimProcesses shims;
  private final Attachments attachments;
  private final Executor service;
  private final Statistics statistics;

  /** The images that a program outside Sluice may still have open. */
  private final Set<Image> open = new LinkedHashSet<>();

  private final Leases leases;
  private boolean toldOfEarly;

  OutsideOpens(
      final ImageRegistry registry,
      final Settling settling,
      final Checkpoints checkpoints,
      final Drain drain,
      final Guard guard,
      final ShimProcesses shims,
      final Attachments attachments,
      final Executor service,
      final Statistics statistics) {
    this.registry = registry;
    this.settling = settling;
    this.replacements = checkpoints.replacements();
    this.farewells = checkpoints.farewells();
    this.drain = drain;
    this.guard = guard;
    this.leases = new Leases(guard, registry, drain.isInPlace(), this::noticed);
    this.shims = shims;
    this.attachments = attachments;
    this.service = service;
    this.statistics = statistics;
  }

  /**
   * A process under the shim tells of the open itself, before it reads or writes, unless it gets no
   * slot.
   */
  @Override
  public void asked(final ImageKey key, final int pid, final Runnable allow) {
    final Image image = registry.find(key);
    if (image == null || (attachments.mayAttach(pid) && shims.has(pid))) {
      allow.run();
    } else {
      show(image, allow);
    }
  }

  @Override
  public void held(final Image image) {
    show(image, () -> service.execute(() -> guard.unlease(image)));
  }

  @Override
  public void opened(final Image image) {
    leases.noticed(image);
  }

  /** What has to do with leases, where the kernel lets programs wait in no other way. */
  Leases leases() {
    return leases;
  }

  /**
   * A program outside has the file open already. It may have read before the file was whole; but
   * one that follows a file that is being written finds all of it a moment later.
   */
  private void noticed(final Image image) {
    if (!drain.isInPlace() || image.openers().isEmpty()) {
      statistics.openedEarly();
      if (!toldOfEarly) {
        toldOfEarly = true;
        Warnings.warn(
            "%s was opened by a program outside Sluice before all its bytes were in it: that may have read too"
                    .formatted(image.file().opened())
                + " little, and what it wrote may be lost; if root runs the I/O process, such programs wait");
      }
    }
    show(image, () -> {});
  }

  /** Makes the image's own file hold everything, for good. */
  private void show(final Image image, final Runnable done) {
    settling.pollOpeners(image);
    image.openOutside(true);
    open.add(image);
    if (image.state() == ImageDescriptor.STATE_COMMITTED) {
      replacements.unshare(
          image,
          () -> settle(image, done),
          failure -> {
            Warnings.warn(
                "%s is committed and cannot be shown to a program outside Sluice: %s"
                    .formatted(image.file().opened(), failure.getMessage()));
            done.run();
          });
    } else {
      settle(image, done);
    }
  }

  private void settle(final Image image, final Runnable done) {
    if (image.state() != ImageDescriptor.STATE_DIRECT) {
      settling.makeDirect(image, Reason.FOREIGN, false);
    }
    drain.answer(any -> done.run(), Reply.Done::new);
    drain.afterwards(() -> service.execute(image::unprotect));
  }

  /** Takes over an image of a former I/O process that a program outside may have open. */
  void resume(final Image image) {
    if (image.state() == ImageDescriptor.STATE_DIRECT) {
      image.openOutside(true);
      open.add(image);
    } else if (image.openers().isEmpty()) {
      leases.closed(image);
    }
  }

  /** Finds out which are closed by now. */
  void beat() {
    for (final Image image : List.copyOf(open)) {
      if (registry.find(image.id()) != image) {
        open.remove(image);
      } else if (image.openers().isEmpty() && !guard.isOpenElsewhere(image)) {
        image.openOutside(false);
        open.remove(image);
        if (drain.isInPlace()) {
          farewells.bid(image);
        }
      }
    }
  }
}
