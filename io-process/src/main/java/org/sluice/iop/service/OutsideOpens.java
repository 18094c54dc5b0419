package org.sluice.iop.service;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.sluice.core.request.Reply;
import org.sluice.core.request.RuntimePath;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.measure.Occurrence;
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
  private static final String LIBRARY = "libsluice_preload.so";

  private final Context context;

  /** The directory where clients of this session find it. */
  private final Path directory;

  private final Checkpoints checkpoints;
  private final Settling settling;
  private final Guard guard;
  private final Attachments attachments;

  /** The images that a program outside Sluice may still have open. */
  private final Set<Image> open = new LinkedHashSet<>();

  private final Leases leases;

  private int waiting;

  private boolean toldOfEarly;

  public OutsideOpens(
      final Context context,
      final Checkpoints checkpoints,
      final Settling settling,
      final Guard guard,
      final Attachments attachments)
      throws IOException {
    this.checkpoints = checkpoints;
    this.context = context;
    this.directory = RuntimePath.find(context.settings().name());
    this.settling = settling;
    this.guard = guard;
    this.leases = new Leases(context, guard, this::noticed);
    this.attachments = attachments;
  }

  /**
   * Takes an open that waits for permission. A process whose shim opens the file tells of that
   * itself, before it reads or writes, unless it gets no slot. Any other open waits, in whichever
   * process: io_uring, and Go, call the kernel past the shim.
   */
  @Override
  public void asked(final ImageKey key, final int pid, final int thread, final Runnable allow) {
    final Image image = context.registry().find(key);
    if (image == null || pid > 0 && attachments.mayAttach(pid) && isUnderShim(pid)) {
      allow.run();
    } else {
      waiting++;
      show(image, isUnderShim(thread) ? Reason.SYSCALL : Reason.FOREIGN, () -> goOn(allow));
    }
  }

  /** Lets a program go on. Any thread. */
  private void goOn(final Runnable allow) {
    allow.run();
    context.service().execute(() -> waiting--);
  }

  /**
   * Returns whether a process has the shim loaded, and for this session. The environment alone does
   * not tell, as other processes have it.
   */
  private boolean isUnderShim(final int thread) {
    final Path process = Path.of("/proc", Integer.toString(thread));
    try {
      return thread > 0
          && text(process.resolve("environ")).contains("SLUICE_DIRECTORY=" + directory + '\0')
          && text(process.resolve("maps")).contains(LIBRARY);
    } catch (final IOException goneOrAnothersUser) {
      return false;
    }
  }

  private static String text(final Path file) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1);
  }

  @Override
  public void held(final Image image) {
    show(image, Reason.FOREIGN, () -> context.service().execute(() -> guard.unlease(image)));
  }

  @Override
  public void opened(final Image image) {
    leases.noticed(image);
  }

  /** Returns the leases, used where the kernel lets programs wait in no other way. */
  public Leases leases() {
    return leases;
  }

  /**
   * Takes an image that a program outside has open already. The program may have read before the
   * file was whole. A program that follows a file being written finds all of it a moment later.
   */
  private void noticed(final Image image) {
    if (!context.layout().showsWrites() || image.openers().isEmpty()) {
      context.statistics().count(Occurrence.OPENED_EARLY, 1);
      if (!toldOfEarly) {
        toldOfEarly = true;
        Warnings.warn(
            "%s was opened by a program outside Sluice before all its bytes were in it: that may have read too"
                    .formatted(image.opened())
                + " little, and what it wrote may be lost; if root runs the I/O process, such programs wait");
      }
    }
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
    context.drain().answer(any -> done.run(), Reply.Done::new);
    context.afterwards(image::unprotect);
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

  /** Takes an image that arrived. A process may still have it open from its former place. */
  void arrived(final Image image) {
    image.openOutside(true);
    open.add(image);
    look(image);
  }

  public void beat() {
    List.copyOf(open).forEach(this::look);
  }

  private void look(final Image image) {
    if (context.registry().find(image.id()) != image) {
      open.remove(image);
    } else if (image.openers().isEmpty() && !guard.isOpenElsewhere(image)) {
      image.openOutside(false);
      open.remove(image);
      context.registry().descriptors().idle(image);
      if (context.layout().forgetsClosed() && !checkpoints.groups().mayHave(image)) {
        checkpoints.releases().release(image);
      }
    }
  }
}
