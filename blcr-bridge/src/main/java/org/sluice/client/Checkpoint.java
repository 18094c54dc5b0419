package org.sluice.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.CloseHelper;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.FileName;

/**
 * This rank's part of a checkpoint in the making. Thread-safe: images may be created and written by
 * several threads.
 */
public final class Checkpoint {
  /**
   * The longest wait of one call, after which another thread may close the client, in milliseconds.
   */
  private static final long WAIT_SLICE_MILLIS = 100;

  private final LibrarySession session;
  private final long number;
  private final List<ImageChannel> images = new ArrayList<>();
  private boolean complete;

  Checkpoint(final LibrarySession session, final long number) {
    this.session = session;
    this.number = number;
  }

  /**
   * Returns the checkpoint's number.
   *
   * @return the number given to {@link CheckpointClient#begin}
   */
  public long number() {
    return number;
  }

  /**
   * Creates an image of this rank.
   *
   * @param name the image's name, a relative path, see {@link FileName}; unique within checkpoint
   *     and rank
   * @return the image, empty
   * @throws IOException when the I/O process refuses or is gone
   * @throws IllegalStateException after {@link #complete}
   */
  public synchronized ImageChannel image(final String name) throws IOException {
    if (complete) {
      throw new IllegalStateException("checkpoint %d is complete".formatted(number));
    }
    try (Arena arena = Arena.ofConfined()) {
      final long bytes = FileName.inC(arena, name);
      final MemorySegment created = arena.allocate(ValueLayout.JAVA_LONG);
      session.call(LibSluice.IMAGE_CREATE, number, bytes, created.address());
      final ImageChannel image = new ImageChannel(name, created.get(ValueLayout.JAVA_LONG, 0));
      images.add(image);
      return image;
    }
  }

  /**
   * Adds a file in the capture directory. Under the shim the commit waits until the file is there
   * and closed, by any process. Files that this process creates or empties need not be added.
   *
   * @param file the file
   * @return true when this process has no shim, so that the bytes were copied
   * @throws IOException when it cannot be of this checkpoint
   */
  public boolean add(final Path file) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      return session.call(LibSluice.CHECKPOINT_ADD, number, FileName.inC(arena, file.toString()))
          > 0;
    }
  }

  /**
   * Gives the checkpoint a name beside its number, by which it can be found and restored. Other
   * ranks need not, or give the same.
   *
   * @param name 1 to 100 bytes of UTF-8 without slashes and control characters; neither digits
   *     alone, nor with a sign in front
   * @throws IOException when it is no such text, or the checkpoint has another name, or this rank
   *     has completed it
   */
  public void name(final String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      session.call(LibSluice.CHECKPOINT_NAME, number, FileName.inC(arena, name));
    }
  }

  /**
   * Closes the images still open and gives the checkpoint up. Its files stay plain files.
   *
   * @throws IOException when this process does not fill it any more
   */
  public synchronized void cancel() throws IOException {
    complete = true;
    closeImages();
    session.call(LibSluice.CHECKPOINT_CANCEL, number);
  }

  /**
   * Closes the images still open and completes this rank's part. The checkpoint is committed when
   * all ranks on this node have done so and all bytes are on stable storage. In a job on several
   * nodes each node commits its part.
   *
   * @throws IOException when storage failed so far; the checkpoint will not be committed then
   */
  public synchronized void complete() throws IOException {
    complete = true;
    closeImages();
    session.call(LibSluice.CHECKPOINT_COMPLETE, number);
  }

  synchronized boolean isComplete() {
    return complete;
  }

  /** Closes all images, and throws the first exception with the others suppressed in it. */
  synchronized void closeImages() throws IOException {
    CloseHelper.closeAll(images);
    images.clear();
  }

  /**
   * Waits until the checkpoint is committed: all ranks on this node completed it, everything is on
   * stable storage and a restart finds it.
   *
   * @param timeout longest time to wait
   * @return false when the time is over
   * @throws IOException when the checkpoint cannot be committed
   */
  public boolean awaitDurable(final Duration timeout) throws IOException {
    final long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      final long left = Math.max(0, (deadline - System.nanoTime()) / 1_000_000);
      try {
        session.call(LibSluice.CHECKPOINT_WAIT, number, Math.min(left, WAIT_SLICE_MILLIS));
        return true;
      } catch (final CheckpointException e) {
        if (e.errno() != Errno.ETIMEDOUT) {
          throw e;
        }
        if (left == 0) {
          return false;
        }
      }
    }
  }
}
