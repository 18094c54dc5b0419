package org.sluice.core.store.model;

import java.io.IOException;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.process.ParallelReading;

/**
 * A reader of images of one checkpoint, one after the other. The reader keeps its memory and its
 * open containers for the next image. Not thread-safe; several may read at a time.
 */
public interface Rebuilder extends ParallelReading.Reader {
  /**
   * Reads an image: its own file overlaid with its logged extents in program order. Every byte is
   * verified on the way.
   *
   * @param target gets each byte that the checkpoint has once, in no particular order; the others
   *     are zero
   * @throws DamagedException when a chunk or file of the image is damaged
   */
  void read(CommittedImage image, ImageTarget target) throws IOException;

  /**
   * Reads an image that was written from its beginning to its end. Every byte is verified before
   * the target gets it.
   *
   * @param target gets each byte that the checkpoint has once, in the order of their offsets; the
   *     others are zero
   * @throws DamagedException when a chunk or file of the image is damaged
   * @throws OutOfOrderException when the image was written otherwise; the target may have bytes
   */
  void readInOrder(CommittedImage image, ImageTarget target) throws IOException;

  /** A receiver of zeros. */
  @FunctionalInterface
  interface Zeros {
    void accept(long offset, long length) throws IOException;
  }

  /**
   * Reads an image with its zeros, which follow the bytes that the checkpoint has.
   *
   * @param target gets each byte that the checkpoint has once, in no particular order
   */
  default void read(final CommittedImage image, final ImageTarget target, final Zeros zeros)
      throws IOException {
    final RangeSet known = new RangeSet();
    read(
        image,
        (address, length, offset) -> {
          known.add(offset, offset + length);
          target.write(address, length, offset);
        });
    for (final Extent zero : known.add(0, image.size())) {
      zeros.accept(zero.offset(), zero.length());
    }
  }

  /**
   * Rebuilds an image, see {@link #read}.
   *
   * @param target an empty file, open for writing; its mode is left alone
   * @param progress told of bytes written since it was last told
   * @throws IOException when that fails; the target then holds anything
   */
  default void rebuild(
      final CommittedImage image, final NativeFile target, final LongConsumer progress)
      throws IOException {
    target.truncate(image.size());
    read(
        image,
        (address, length, offset) -> {
          target.pwrite(address, length, offset);
          progress.accept(length);
        });
  }

  default void rebuild(final CommittedImage image, final NativeFile target) throws IOException {
    rebuild(image, target, bytes -> {});
  }
}
