package org.sluice.iop.service;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Timed;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.outside.Guard;

/**
 * The lengths of closed files whose bytes are in containers, as programs outside see them: an
 * archiver does not open an empty file. A program that opens a file of some length must not read
 * zeros. So files get their lengths only while all who can open them wait until the bytes are
 * there. On a file system of several nodes, where nobody waits on the others, and without the right
 * to have programs wait, they stay as short as they are.
 *
 * <p>The process that closes a file gives it its length. This one does for what is left: no process
 * has such a file open, and the next one has to ask. Service thread only.
 */
public final class Lengths {
  private final Context context;
  private final Guard guard;

  /** Tells the next session of files without bytes; empty where no file gets its length. */
  private final Optional<LengthMark> mark;

  /** Whether a former I/O process may have written to files. */
  private final boolean resumed;

  public Lengths(final Context context, final Guard guard) {
    this.context = context;
    this.guard = guard;
    this.resumed = context.segment().header().heartbeat() > 0;
    this.mark =
        context.layout().lengthensClosed() && !context.capture().isShared() && guard.holdsAll()
            ? marked(context)
            : Optional.empty();
  }

  private static Optional<LengthMark> marked(final Context context) {
    try {
      return Optional.of(LengthMark.of(context));
    } catch (final IOException e) {
      Warnings.warn(
          "closed files are empty for programs outside Sluice that look at lengths: "
              + e.getMessage());
      return Optional.empty();
    }
  }

  /** Says to the processes whether files get them. */
  public void tell() {
    context.segment().header().lengths(areSet());
  }

  /**
   * A program that opened a file behind the kill of a former process got its length and zeros, as
   * none waited any more. Nothing tells whether one did.
   *
   * @param images of the session
   * @param alive when the former one was seen last, in ms since the epoch
   */
  public void resumed(final Collection<Image> images, final long alive) {
    final long exposed = areSet() ? images.stream().filter(Lengths::readsZeros).count() : 0;
    if (exposed > 0) {
      Warnings.warn(
          ("no program outside Sluice waited for the bytes of %d closed files from the kill until now,"
                  + " %.1f s at most: what one read of them then is zeros, so let it read them again")
              .formatted(exposed, (System.currentTimeMillis() - alive) / 1000.0));
    }
  }

  private static boolean readsZeros(final Image image) {
    try {
      final FileStatus own = image.held().status();
      return image.state() != ImageDescriptor.STATE_DIRECT
          && image.openers().isEmpty()
          && own.size() > 0
          && own.allocated() < own.size();
    } catch (final IOException gone) {
      return false;
    }
  }

  /** All files hold what they are to hold, if the session has ended as it should. */
  public void close(final boolean ended) throws IOException {
    if (mark.isPresent()) {
      if (ended) {
        mark.get().delete();
      }
      mark.get().close();
    }
  }

  private boolean areSet() {
    return mark.isPresent() && guard.holdsAll();
  }

  /**
   * The last process has closed an image. A watcher was told of that before the file had its
   * length, or before programs waited for it, if it was closed at once. So it is told once more.
   */
  void closed(final Image image) {
    final long unheld = image.takeUnheldNanos();
    if (unheld > 0 && isLogged(image) && guard.asks()) {
      final long now = System.nanoTime();
      context.statistics().took(Timed.UNHELD, now - unheld, now);
      tellOfOthersBytes(image);
    }
    if (isLogged(image) && (areSet() && lengthen(image) || unheld > 0)) {
      context.drain().afterwards(() -> tellOfClose(image));
    }
  }

  /**
   * An image whose bytes are all logged has an empty file, until this process gives it a length. A
   * program outside that opened it before it had to wait found it so, and what that wrote lies
   * below what was logged.
   */
  private void tellOfOthersBytes(final Image image) {
    if (resumed || !context.layout().lengthensClosed()) {
      return;
    }
    try {
      final FileStatus own = image.held().status();
      if (own.allocated() > 0
          && context.segment().imageTable().directBytes(image.entry()) == 0
          && image.unseen() == Reason.NONE) {
        Warnings.warn(
            ("another program wrote %d bytes to %s just behind its close, before it had to wait: they"
                    + " are lost, so have it write them again")
                .formatted(own.size(), image.opened()));
      }
    } catch (final IOException e) {
      Warnings.warn(
          "whether another program has written to a file is not known: " + e.getMessage());
    }
  }

  private static boolean isLogged(final Image image) {
    return image.state() == ImageDescriptor.STATE_DIVERTED
        && !image.isAbandoned()
        && !image.isOpenOutside()
        && image.errno() == 0;
  }

  /** False when nothing was left to do. */
  private static boolean lengthen(final Image image) {
    final NativeFile file = image.held().descriptor().orElse(null);
    try {
      if (file == null || file.size() >= image.size()) {
        return false;
      }
      final Instant modified = file.modified();
      file.resize(image.size());
      file.modified(modified);
      return true;
    } catch (final IOException e) {
      Warnings.warn("programs outside Sluice find a file shorter than it is: " + e.getMessage());
      return false;
    }
  }

  /** Last stage: the guard is asked about this open, too. */
  private static void tellOfClose(final Image image) {
    try {
      image.file().tellOfClose();
    } catch (final IOException e) {
      Warnings.warn("watchers are not told of a close: " + e.getMessage());
    }
  }
}
