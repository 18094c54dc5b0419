package org.sluice.restart;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.OutOfOrderException;
import org.sluice.core.store.model.Rebuilder;

/**
 * An image that is written in the order of its bytes.
 *
 * @param streams whether it was written in that order, too
 */
record ImageInOrder(CommittedImage image, boolean streams) {
  private static final int COPIED = 1 << 20;

  /** Looks at an image, and verifies one that streams. */
  static ImageInOrder of(final Rebuilder rebuilder, final CommittedImage image) throws IOException {
    try {
      rebuilder.readInOrder(image, (address, length, offset) -> {});
      return new ImageInOrder(image, true);
    } catch (final OutOfOrderException e) {
      return new ImageInOrder(image, false);
    }
  }

  /** Verifies what {@link #of} did not. */
  void verify(final Rebuilder rebuilder) throws IOException {
    if (!streams) {
      rebuilder.read(image, (address, length, offset) -> {});
    }
  }

  /** Writes the image, each byte verified before, if need be by way of a file that has no name. */
  void write(final Rebuilder rebuilder, final Outlet out) throws IOException {
    if (streams) {
      rebuilder.readInOrder(image, out);
    } else {
      rebuild(rebuilder, out);
    }
    out.fill(image.size());
  }

  private void rebuild(final Rebuilder rebuilder, final Outlet out) throws IOException {
    final String directory = System.getenv("TMPDIR"); // Java itself does not heed it
    final Path scratch =
        Files.createTempFile(Path.of(directory == null ? "/tmp" : directory), "sluice-get-", "");
    try (NativeFile file = NativeFile.open(scratch, NativeFile.Flag.WRITE)) {
      Files.delete(scratch);
      rebuilder.rebuild(image, file);
      final UnsafeBuffer piece = new UnsafeBuffer(ByteBuffer.allocateDirect(COPIED));
      long count = 0;
      for (long at = 0; (count = file.pread(piece.addressOffset(), COPIED, at)) > 0; at += count) {
        out.write(piece.addressOffset(), count, at);
      }
    }
  }
}
