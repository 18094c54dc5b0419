package org.sluice.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;

/**
 * An image being written. Writes below the threshold are copied into shared memory and are drained
 * from there. Larger ones go to the image's own file. A read returns the bytes that were written.
 *
 * <p>Bytes are taken directly from the caller's buffer. Only a write of a heap buffer that must
 * wait copies them to memory outside the heap first. The channel keeps up to 1 MiB of that memory.
 *
 * <p>Thread-safe: every method holds the channel's monitor. So writes of one image have an order,
 * and none goes to an image that another thread has closed. Channels of one client share its log
 * and block each other for the time of a copy. A storage error of the drain is thrown by the next
 * call on the image, at the latest by {@link #close}.
 */
public final class ImageChannel implements SeekableByteChannel {
  /** The largest memory in bytes that is kept for the next write. */
  private static final int LARGEST_KEPT = 1 << 20;

  private final String name;

  /** The native image; 0 once the channel is closed. */
  private long image;

  private long position;
  private MemorySegment copy = MemorySegment.NULL;

  ImageChannel(final String name, final long image) {
    this.name = name;
    this.image = image;
  }

  /**
   * Writes all remaining bytes at the position.
   *
   * @param source the bytes
   * @return their number
   * @throws IOException when storage failed, now or in the drain, or the bytes reach beyond the
   *     largest size of an image
   */
  @Override
  public synchronized int write(final ByteBuffer source) throws IOException {
    checkOpen();
    final int length = source.remaining();
    final MemorySegment bytes = MemorySegment.ofBuffer(source);
    if (LibSluice.tryWrite(image, bytes, position) < 0) {
      check(LibSluice.write(image, bytes.isNative() ? bytes : copyOf(bytes), position));
    }
    source.position(source.position() + length);
    position += length;
    return length;
  }

  private MemorySegment copyOf(final MemorySegment bytes) {
    return outside(bytes.byteSize()).copyFrom(bytes);
  }

  /** Returns memory of a length outside the heap, valid until the next call. */
  private MemorySegment outside(final long length) {
    if (length > LARGEST_KEPT) {
      return Arena.ofAuto().allocate(length);
    }
    if (length > copy.byteSize()) {
      copy = Arena.ofAuto().allocate(Math.max(4096, Long.highestOneBit(2 * length - 1)));
    }
    return copy.asSlice(0, length);
  }

  /**
   * Reads at the position, after all bytes written so far were brought into the image's own file.
   *
   * @param target buffer for the bytes
   * @return number of bytes read; -1 at the end
   * @throws IOException when storage failed, now or in the drain
   */
  @Override
  public synchronized int read(final ByteBuffer target) throws IOException {
    checkOpen();
    if (target.isReadOnly()) {
      throw new IllegalArgumentException("the buffer is read-only");
    }
    final MemorySegment into = MemorySegment.ofBuffer(target);
    final MemorySegment outside = into.isNative() ? into : outside(into.byteSize());
    final int count = (int) check(LibSluice.read(image, outside, position));
    if (outside != into) {
      MemorySegment.copy(outside, 0, into, 0, count);
    }
    target.position(target.position() + count);
    position += count;
    return count == 0 && into.byteSize() > 0 ? -1 : count;
  }

  @Override
  public synchronized long position() throws IOException {
    checkOpen();
    return position;
  }

  /**
   * Moves the position, beyond the end if need be; skipped bytes read as zeros.
   *
   * @param newPosition bytes from the beginning, at least 0
   * @return this channel
   */
  @Override
  public synchronized ImageChannel position(final long newPosition) throws IOException {
    checkOpen();
    if (newPosition < 0) {
      throw new IllegalArgumentException("negative position: " + newPosition);
    }
    position = newPosition;
    return this;
  }

  @Override
  public synchronized long size() throws IOException {
    checkOpen();
    return check(LibSluice.size(image));
  }

  /**
   * Cuts the image.
   *
   * @param size bytes to keep; nothing changes when the image is not longer
   * @return this channel
   */
  @Override
  public synchronized ImageChannel truncate(final long size) throws IOException {
    checkOpen();
    if (size < 0) {
      throw new IllegalArgumentException("negative size: " + size);
    }
    if (size < size()) {
      check(LibSluice.truncate(image, size));
    }
    position = Math.min(position, size);
    return this;
  }

  /**
   * Waits until all bytes written so far are on stable storage.
   *
   * @throws IOException when storage failed, now or in the drain
   */
  public synchronized void sync() throws IOException {
    checkOpen();
    check(LibSluice.sync(image));
  }

  @Override
  public synchronized boolean isOpen() {
    return image != 0;
  }

  /**
   * Closes the image. Closing again does nothing.
   *
   * @throws IOException when the drain met a storage error on the image so far
   */
  @Override
  public synchronized void close() throws IOException {
    final long closing = image;
    image = 0;
    if (closing != 0) {
      check(LibSluice.close(closing));
    }
  }

  private void checkOpen() throws ClosedChannelException {
    if (image == 0) {
      throw new ClosedChannelException();
    }
  }

  private long check(final long result) throws CheckpointException {
    if (result < 0) {
      throw CheckpointException.of("image " + name + ": ", result);
    }
    return result;
  }
}
