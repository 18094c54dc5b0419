package org.sluice.core.store.model;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.sluice.core.posix.NativeFile;

/** The comparison of a file with the bytes of an image. */
public final class ImageComparison implements ImageTarget, AutoCloseable {
  private static final long PIECE = 1 << 20;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment there = arena.allocate(PIECE);
  private final MemorySegment zeros = arena.allocate(PIECE);
  private final NativeFile file;

  private ImageComparison(final NativeFile file) {
    this.file = file;
  }

  /** The file has other bytes. */
  private static final class DifferentException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** {@return true if the file has all bytes of the image, and no others} */
  public static boolean isWhole(
      final Rebuilder rebuilder, final CommittedImage image, final NativeFile file)
      throws IOException {
    if (file.size() != image.size()) {
      return false;
    }
    try (ImageComparison comparison = new ImageComparison(file)) {
      rebuilder.read(image, comparison, comparison::zeros);
      return true;
    } catch (final DifferentException e) {
      return false;
    }
  }

  @Override
  @SuppressWarnings("restricted") // memory of the reader
  public void write(final long address, final long length, final long offset) throws IOException {
    for (long done = 0; done < length; done += PIECE) {
      final long piece = Math.min(PIECE, length - done);
      final MemorySegment wanted = MemorySegment.ofAddress(address + done).reinterpret(piece);
      compare(wanted, piece, offset + done);
    }
  }

  private void zeros(final long offset, final long length) throws IOException {
    for (long done = 0; done < length; done += PIECE) {
      compare(zeros, Math.min(PIECE, length - done), offset + done);
    }
  }

  private void compare(final MemorySegment wanted, final long length, final long offset)
      throws IOException {
    final long read = file.pread(there.address(), length, offset);
    if (read < length || MemorySegment.mismatch(there, 0, length, wanted, 0, length) >= 0) {
      throw new DifferentException();
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
