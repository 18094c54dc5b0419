package org.sluice.iop.service;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.Openers;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;

/** The steps that make images' own files hold everything, now or for good. Service thread only. */
public final class Settling {
  /**
   * The longest wait for the end of a program's lease, which the kernel ends a moment after the
   * program's end was told of. The drain waits meanwhile, so not for a process that has no end.
   */
  private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final ImageRegistry registry;
  private final Drain drain;
  private final Attachments attachments;
  private final Rings rings;

  public Settling(
      final ImageRegistry registry,
      final Drain drain,
      final Attachments attachments,
      final Rings rings) {
    this.registry = registry;
    this.drain = drain;
    this.attachments = attachments;
    this.rings = rings;
  }

  /** Returns whether no process has anything left to publish. */
  boolean areWritersIdle() {
    return attachments.all().stream().allMatch(Attachment::isIdle);
  }

  /**
   * Dismisses the processes at the end of the session. The files of those that stay become plain:
   * their later writes go through the kernel.
   *
   * <p>The slots are taken back first, and the images become direct. Only then are the chunks
   * looked at. A process appends, fences, and then looks at its slot and the image. So one of the
   * two sees the other. The process may still be storing into an open chunk, so its images take
   * what counts out of it. The rest of the chunk is the process's to write again.
   */
  void dismissWriters() {
    attachments.close();
    final List<Attachment> staying = List.copyOf(attachments.all());
    staying.forEach(Settling::takeSlotBack);
    attachments.poll();
    final List<Image> logged =
        staying.stream()
            .flatMap(attachment -> attachment.images().keySet().stream())
            .filter(image -> image.state() == ImageDescriptor.STATE_DIVERTED)
            .distinct()
            .toList();
    logged.forEach(image -> show(image, Reason.LOST));
    logged.forEach(image -> settleDirect(image, false));
    staying.forEach(attachments::dismiss);
  }

  private static void takeSlotBack(final Attachment attachment) {
    if (!attachment.isIdle()) {
      Warnings.warn(attachment + " is still there; its files are plain from here on");
    }
    attachment.slot().detach();
  }

  /**
   * Makes an image direct, without its writer's help: it may be frozen. The state is stored, with a
   * full fence, before the writer's ring and chunks are looked at. The writer appends, fences, and
   * then looks at the state. So one of the two sees the other.
   *
   * @param reason reason why it is direct from here on
   * @param emptied whether the image was truncated to nothing
   */
  void makeDirect(final Image image, final Reason reason, final boolean emptied) {
    show(image, reason);
    settleDirect(image, emptied);
  }

  private static void show(final Image image, final Reason reason) {
    image.direct(reason);
    image.held().use(); // a closed image may be on its way to rest
  }

  private void settleDirect(final Image image, final boolean emptied) {
    drain.makeDirect(image, unpublished(image), emptied);
    image.openers().writer(Openers.NOBODY);
    drain.continueAfter(image::unprotect);
  }

  /**
   * Returns the writer's unpublished chunks. No entry tells which process logs an image that
   * several had open when an I/O process was killed.
   */
  private int[] unpublished(final Image image) {
    final int writer = image.openers().writer();
    final IntStream openers =
        writer != Openers.NOBODY
            ? IntStream.of(writer)
            : image.openers().slots().stream().mapToInt(slot -> slot);
    return openers
        .mapToObj(attachments::at)
        .flatMapToInt(
            opener -> {
              rings.poll(opener);
              return IntStream.of(rings.unpublished(opener));
            })
        .toArray();
  }

  /**
   * Answers once the file holds all published bytes.
   *
   * @param reason reason why the image becomes direct; {@link Reason#NONE} when it does not
   */
  void settle(final Image image, final Reason reason, final Caller caller) {
    if (image.state() == ImageDescriptor.STATE_DIVERTED) {
      if (reason == Reason.NONE) {
        drain.settle(image);
      } else {
        makeDirect(image, reason, false);
      }
    }
    drain.answer(caller, () -> unlessFailed(image, new Reply.Settled(size(image))));
  }

  /**
   * Answers once the file holds everything and only programs have it open: any other opener keeps
   * them from leases.
   */
  void letGo(final Image image, final Reason reason, final Caller caller) {
    if (image.state() == ImageDescriptor.STATE_DIVERTED) {
      makeDirect(image, reason, false);
    }
    image.letGo(true);
    drain.afterwards(
        () -> {
          try {
            image.file().letGo();
            caller.answer(unlessFailed(image, new Reply.Settled(size(image))));
          } catch (final IOException e) {
            caller.answer(new Reply.Failed(Failure.of(e).errno(), e.getMessage()));
          }
        });
  }

  /** Takes back the file of an image that nobody has open any more. */
  void takeBack(final Image image) {
    drain.afterwards(
        () -> {
          try {
            image.file().takeBack(LEASE_NANOS);
          } catch (final IOException e) {
            image.fail(e);
          }
        });
    drain.continueAfter(() -> takenBack(image));
  }

  private void takenBack(final Image image) {
    image.letGo(!image.openers().isEmpty());
    registry.descriptors().idle(image);
  }

  static Reply unlessFailed(final Image image, final Reply reply) {
    return image.errno() == 0
        ? reply
        : new Reply.Failed(
            image.errno(), "%s: %s".formatted(image.opened(), Errno.describe(image.errno())));
  }

  private static long size(final Image image) {
    try {
      return image.drainedSize();
    } catch (final IOException e) {
      image.fail(e);
      return 0;
    }
  }

  /** Answers once all published bytes are on stable storage. */
  void sync(final Image image, final Caller caller) {
    drain.sync(image, now -> caller.answer(unlessFailed(image, new Reply.Done())));
  }
}
