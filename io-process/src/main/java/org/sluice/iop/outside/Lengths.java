package org.sluice.iop.outside;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.Segment;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Timed;
import org.sluice.iop.measure.Warnings;

/**
 * The lengths of closed files whose bytes are in containers, as programs outside see them: an
 * archiver does not open an empty file. A program that opens a file of some length must not read
 * zeros. So files get their lengths only while all programs that can open them wait until the bytes
 * are there. They stay short on a file system of several nodes, where nobody waits on the others,
 * and without the right to make programs wait.
 *
 * <p>The process that closes a file gives it its length. This process does so for the remaining
 * files: no process has such a file open, and the next one has to ask. Service thread only.
 */
public final class Lengths {
  private final Segment segment;
  private final CheckpointStorage storage;
  private final CaptureDirectory capture;
  private final Drain drain;
  private final Statistics statistics;
  private final Guard guard;

  /**
   * The mark that tells the next session of files without bytes; empty where no file gets its
   * length.
   */
  private final Optional<LengthMark> mark;

  /** True if a former I/O process may have written to files. */
  private final boolean resumed;

  public Lengths(
      final Segment segment,
      final CheckpointStorage storage,
      final CaptureDirectory capture,
      final Drain drain,
      final Statistics statistics,
      final Guard guard) {
    this.segment = segment;
    this.storage = storage;
    this.capture = capture;
    this.drain = drain;
    this.statistics = statistics;
    this.guard = guard;
    this.resumed = segment.header().heartbeat() > 0;
    this.mark =
        drain.layout().lengthensClosed() && !capture.isShared() && guard.holdsAll()
            ? marked(storage, capture)
            : Optional.empty();
  }

  private static Optional<LengthMark> marked(
      final CheckpointStorage storage, final CaptureDirectory capture) {
    try {
      return Optional.of(LengthMark.of(storage, capture));
    } catch (final IOException e) {
      Warnings.warn(
          "closed files are empty for programs outside Sluice that look at lengths: "
              + e.getMessage());
      return Optional.empty();
    }
  }

  /** Tells the processes whether files get their lengths. */
  public void tell() {
    segment.header().lengths(areSet());
  }

  /**
   * Warns of a resumption. A program that opened a file after the kill of a former process got its
   * length and zeros, as none waited any more. Nothing tells whether one did.
   *
   * @param alive time when the former process was seen last, in ms since the epoch
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

  /** Ends the lengths. All files have their bytes, if the session has ended as it should. */
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
   * Takes the last close of an image. A watcher was told of that before the file had its length, or
   * before programs waited for it, if it was closed at once. So the watcher is told once more.
   * Where no program waits, the open that tells would break this process's own lease.
   */
  public void closed(final Image image) {
    final long unheld = guard.asks() ? image.takeUnheldNanos() : 0;
    if (unheld > 0 && isLogged(image)) {
      final long now = System.nanoTime();
      statistics.took(Timed.UNHELD, now - unheld, now);
      tellOfOthersBytes(image);
    }
    if (isLogged(image) && (areSet() && lengthen(image) || unheld > 0)) {
      drain.inSpareTime(() -> tellOfClose(image));
    }
  }

  /**
   * Warns of lost writes of other programs. An image whose bytes are all logged has an empty file,
   * until this process gives it a length. A program outside that opened it before it had to wait
   * found it empty, and its writes lie below the logged bytes.
   */
  private void tellOfOthersBytes(final Image image) {
    if (resumed || !drain.layout().lengthensClosed()) {
      return;
    }
    try {
      final FileStatus own = image.held().status();
      if (own.allocated() > 0
          && segment.imageTable().directBytes(image.entry()) == 0
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

  /** Gives a file its length; returns false when nothing was left to do. */
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

  /**
   * Tells watchers of a close, in the last stage: the guard is asked about this open, too. On a
   * node whose cores are all taken that costs a time slice.
   */
  private static void tellOfClose(final Image image) {
    try {
      image.file().tellOfClose();
    } catch (final IOException e) {
      Warnings.warn("watchers are not told of a close: " + e.getMessage());
    }
  }
}
