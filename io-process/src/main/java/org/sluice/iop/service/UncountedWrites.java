package org.sluice.iop.service;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.measure.Warnings;

/**
 * Estimates what the kernel has written to images without a process that counted: mappings,
 * requests under way when their file is closed, programs without the shim that inherited a
 * descriptor. What is in an image's file beyond what is known counts, when nobody has the image
 * open any more, and once more at the end of the session: who inherited a descriptor may write for
 * longer. Service thread only.
 */
public final class UncountedWrites {
  /** So that the memory for a last look is bounded. */
  private static final int MOST = 1 << 14;

  private final Context context;
  private final Map<ImageKey, Past> past = new HashMap<>();

  /** An image that was let go, whose file may still grow. */
  private record Past(String path, long allocated, Reason reason) {}

  public UncountedWrites(final Context context) {
    this.context = context;
  }

  /** Nobody has it open any more: looks once what was published is counted. */
  void closed(final Image image) {
    if (image.unseen() != Reason.NONE) {
      context.afterwards(() -> look(image));
    }
  }

  private void look(final Image image) {
    if (context.registry().find(image.id()) == image) {
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
      context.statistics().estimated(image.unseen(), bytes);
    }
  }

  /** Remembers the file of an image that is let go now. */
  private void remember(final Image image) throws IOException {
    if (context.layout().forgetsClosed() && past.size() < MOST) {
      final long allocated = image.held().status().allocated();
      context
          .capture()
          .find(image)
          .ifPresent(path -> past.put(image.key(), new Past(path, allocated, image.unseen())));
    }
  }

  /** A file is opened for writing once more: what comes into it from here on is counted. */
  void reopened(final ImageKey key) {
    past.remove(key);
  }

  /** At the end: looks at all once more. */
  void last() {
    context.registry().all().stream()
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
        context.statistics().estimated(then.reason(), more);
      }
    } catch (final PosixException deletedOrClosedToUs) {
      return; // it has been looked at before
    }
  }
}
