package org.sluice.core.client;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.CloseHelper;
import org.sluice.core.posix.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;

/**
 * This rank's part of a checkpoint in the making. Thread-safe: images may be created and written by
 * several threads.
 */
public final class Checkpoint {
  /** Others' requests take turns with a waiting one after this long. */
  private static final long WAIT_SLICE_MILLIS = 100;

  private final Attachment attachment;
  private final long number;
  private final int rank;
  private final int ranks;
  private final List<ImageChannel> images = new ArrayList<>();
  private boolean complete;

  Checkpoint(final Attachment attachment, final long number, final int rank, final int ranks) {
    this.attachment = attachment;
    this.number = number;
    this.rank = rank;
    this.ranks = ranks;
  }

  /**
   * The checkpoint's number.
   *
   * @return as given to {@link CheckpointClient#begin}
   */
  public long number() {
    return number;
  }

  /**
   * Creates an image of this rank.
   *
   * @param name the image's name, a relative path; unique within checkpoint and rank
   * @return the image, empty
   * @throws IOException when the I/O process refuses or is gone
   * @throws IllegalStateException after {@link #complete}
   */
  public synchronized ImageChannel image(final String name) throws IOException {
    if (complete) {
      throw new IllegalStateException("checkpoint %d is complete".formatted(number));
    }
    final Reply.Created created =
        (Reply.Created) attachment.connection().call(new Request.Create(number, rank, ranks, name));
    final Reply.Opened opened = created.opened();
    final FileChannel file;
    try {
      file = FileChannel.open(Path.of(created.path()), READ, WRITE);
    } catch (final IOException e) {
      attachment.writer().end(opened.imageId(), System.nanoTime());
      throw e;
    }
    final ImageChannel image = new ImageChannel(attachment, name, opened, file);
    images.add(image);
    return image;
  }

  /**
   * Closes the images still open and says that this rank has written everything. The checkpoint is
   * committed when all ranks that run on this node said so and everything is on stable storage: of
   * a job on several nodes each node commits its part.
   *
   * @throws IOException when storage failed so far; the checkpoint will not be committed then
   */
  public synchronized void complete() throws IOException {
    complete = true;
    closeImages();
    attachment.connection().call(new Request.Complete(number, rank));
  }

  synchronized boolean isComplete() {
    return complete;
  }

  /** Closes all, and throws the first exception with the others suppressed in it. */
  synchronized void closeImages() throws IOException {
    CloseHelper.closeAll(images);
    images.clear();
  }

  /**
   * Waits until the checkpoint is committed: all ranks on this node completed it, everything is on
   * stable storage and a restart finds it.
   *
   * @param timeout how long at most
   * @return false when the time is over
   * @throws IOException when the checkpoint cannot be committed
   */
  public boolean awaitDurable(final Duration timeout) throws IOException {
    final long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      final long left = Math.max(0, (deadline - System.nanoTime()) / 1_000_000);
      try {
        attachment.connection().call(new Request.Await(number, Math.min(left, WAIT_SLICE_MILLIS)));
        return true;
      } catch (final RequestFailedException e) {
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
