package org.sluice.iop.service;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/**
 * The estimate of bytes that the kernel has written to images without a process that counted.
 * Causes are mappings, requests under way when their file is closed, and programs without the shim
 * that inherited a descriptor. The unknown bytes in an image's file count when nobody has the image
 * open any more. They count once more at the end of the session: a program that inherited a
 * descriptor may write for longer. Service thread only.
 */
public final class UncountedWrites {
  /** The most files for a last look, so that their memory is bounded. */
  private static final int MOST = 1 << 14;

  private final CapturedFiles files;
  private final Drain drain;
  private final Statistics statistics;
  private final Map<ImageKey, Past> past = new HashMap<>();

  /** An image that was released, whose file may still grow. */
  private record Past(String path, long allocated, Reason reason) {}

  public UncountedWrites(
      final CapturedFiles files, final Drain drain, final Statistics statistics) {
    this.files = files;
    this.drain = drain;
    this.statistics = statistics;
  }

  /** Takes an image that nobody has open any more: looks once the published bytes are counted. */
  void closed(final Image image) {
    if (image.unseen() != Reason.NONE) {
      drain.continueAfter(() -> look(image));
    }
  }

  private void look(final Image image) {
    if (files.registry().find(image.id()) == image) {
      try {
        take(image);
        remember(image);
      } catch (final IOException e) {
        Warnings.warn("what was written to " + image + " cannot be estimated: " + e.getMessage());
      }
    }
  }

  private void take(final Image image) throws IOException {
    final long bytes = image.takeUnseen();
    if (bytes > 0) {
      statistics.estimated(image.unseen(), bytes);
    }
  }

  /** Remembers the file of an image that is released now. */
  private void remember(final Image image) throws IOException {
    if (drain.layout().forgetsClosed() && past.size() < MOST) {
      final long allocated = image.held().status().allocated();
      files
          .capture()
          .find(image)
          .ifPresent(path -> past.put(image.key(), new Past(path, allocated, image.unseen())));
    }
  }

  /** Forgets a file that is opened for writing once more: its later bytes are counted. */
  void reopened(final ImageKey key) {
    past.remove(key);
  }

  /** Looks at all files once more, at the end. */
  void last() {
    files.registry().all().stream()
        .filter(image -> image.unseen() != Reason.NONE)
        .forEach(this::look);
    past.forEach(this::lookAgain);
    past.clear();
  }

  private void lookAgain(final ImageKey key, final Past then) {
    try (NativeFile file =
        NativeFile.open(then.path(), NativeFile.Flag.NO_WAIT, NativeFile.Flag.NO_FOLLOW)) {
      final long more = file.allocated() - then.allocated();
      if (more > 0 && ImageKey.of(file).equals(key)) {
        statistics.estimated(then.reason(), more);
      }
    } catch (final PosixException deletedOrClosedToUs) {
      return; // the file has been looked at before
    }
  }
}
