package org.sluice.core.store.model;

import java.io.IOException;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.NativeFile;

/**
 * Reads images of one checkpoint, one after the other. What it read them with it keeps: memory and
 * open containers. Not thread-safe; several may read at a time.
 */
public interface Rebuilder extends AutoCloseable {
  /**
   * Reads an image: its own file overlaid with its logged extents in program order. Every byte is
   * verified on the way.
   *
   * @param image one of the checkpoint's
   * @param target takes each byte that the checkpoint has once, in no particular order; the others
   *     are zero
   * @throws DamagedException when something it consists of is damaged
   * @throws IOException when that fails
   */
  void read(CommittedImage image, ImageTarget target) throws IOException;

  /** Takes what is zero. */
  @FunctionalInterface
  interface Zeros {
    /**
     * Takes some bytes.
     *
     * @param offset where they are in the image
     * @param length how many they are
     * @throws IOException when that fails
     */
    void accept(long offset, long length) throws IOException;
  }

  /**
   * The same, with the other bytes as well: behind those that the checkpoint has.
   *
   * @param image one of the checkpoint's
   * @param target takes each byte that the checkpoint has once, in no particular order
   * @param zeros takes the others
   * @throws DamagedException when something it consists of is damaged
   * @throws IOException when that fails
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
   * @param image one of the checkpoint's
   * @param target an empty file, open for writing; its mode is left alone
   * @param progress told of bytes written since it was last told
   * @throws DamagedException when something it consists of is damaged
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

  /**
   * The same, of which nobody is told meanwhile.
   *
   * @param image one of the checkpoint's
   * @param target an empty file, open for writing; its mode is left alone
   * @throws IOException when that fails; the target then holds anything
   */
  default void rebuild(final CommittedImage image, final NativeFile target) throws IOException {
    rebuild(image, target, bytes -> {});
  }

  @Override
  void close() throws IOException;
}
