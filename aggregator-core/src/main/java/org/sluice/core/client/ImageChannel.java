package org.sluice.core.client;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.PosixException;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ImageTable;
import org.sluice.core.segment.Reason;

/**
 * An image being written. Writes below the threshold are copied into shared memory and are drained
 * from there; larger ones go to the image's own file; what is read is what was written.
 *
 * <p>Thread-safe: every method holds the channel's monitor, so writes of one image have an order.
 * Channels of one client share its log and block each other for the time of a copy. A storage error
 * that the drain meets is thrown by the next call on the image, the closing one at the latest.
 *
 * <p>While the image is diverted this process alone appends to its log. The I/O process may end
 * that at any time: it stores DIRECT, makes a full fence and reads the open chunk; this class
 * appends, makes a full fence and loads the state. One of the two sees the other. When this side
 * sees DIRECT, it settles, which returns once the log is in the file, and repeats the write on the
 * file: a large write may have been overtaken there by older bytes of the log.
 */
public final class ImageChannel implements SeekableByteChannel {
  private final Attachment attachment;
  private final ImageTable table;
  private final Header header;
  private final String name;
  private final FileChannel file;
  private final int entry;
  private final int id;
  private final boolean container;
  private final long opened = System.nanoTime();

  private boolean open = true;

  /** Why writes go to the file, for good; NONE while the image is diverted. */
  private Reason direct;

  private long position;
  private long pendingLow;
  private long pendingHigh;

  ImageChannel(
      final Attachment attachment,
      final String name,
      final Reply.Opened image,
      final FileChannel file) {
    this.attachment = attachment;
    this.table = attachment.segment().imageTable();
    this.header = attachment.segment().header();
    this.name = name;
    this.file = file;
    this.entry = image.entry();
    this.id = image.imageId();
    this.direct =
        image.disposition() == RequestDescriptor.DIVERT ? Reason.NONE : Reason.of(image.reason());
    this.pendingLow = image.size() > 0 ? 0 : Long.MAX_VALUE;
    this.pendingHigh = image.size();
    this.container = header.layout() == HeaderDescriptor.LAYOUT_CONTAINER;
  }

  /**
   * Writes all remaining bytes at the position.
   *
   * @param source the bytes
   * @return how many they were
   * @throws IOException when storage failed, now or in the drain, or they reach beyond what an
   *     image can have
   */
  @Override
  public synchronized int write(final ByteBuffer source) throws IOException {
    checkUsable();
    final int begin = source.position();
    final int length = source.remaining();
    if (length > RecordDescriptor.MAX_END - position) {
      throw new PosixException("write image %s at %d".formatted(name, position), Errno.EFBIG);
    }
    if (length == 0) {
      return 0;
    }
    final boolean logged =
        isDiverted()
            && (length >= attachment.writer().threshold()
                ? writeDirect(source, position, overThreshold())
                : append(source, length));
    if (!logged) {
      source.position(begin);
      writeFile(source, position, direct);
    }
    position += length;
    return length;
  }

  /** False when the image went direct and the file must get the bytes. */
  private boolean append(final ByteBuffer source, final int length) throws IOException {
    final boolean complete = attachment.writer().write(id, position, source);
    final long logged = position + length - source.remaining();
    if (logged > position) {
      widenPending(position, logged);
      growTo(logged);
    }
    if (!complete && header.whenFull() == HeaderDescriptor.WHEN_FULL_DIRECT) {
      attachment.writer().countOverflow();
      return writeDirect(source, logged, Reason.FULL);
    }
    return settledIfDirect(complete);
  }

  /** While there is room the auto policy sends no write to the file. */
  private Reason overThreshold() {
    return header.policy() == HeaderDescriptor.POLICY_FIXED ? Reason.THRESHOLD : Reason.FULL;
  }

  /** False when the image went direct and the file must get the bytes again. */
  private boolean writeDirect(final ByteBuffer source, final long offset, final Reason reason)
      throws IOException {
    final int length = source.remaining();
    final boolean overlaps = offset < pendingHigh && offset + length > pendingLow;
    if (!container && overlaps) {
      settle(Reason.NONE);
    }
    writeFile(source, offset, reason);
    final boolean complete = !container || markDirect(offset, length, overlaps);
    growTo(offset + length);
    return settledIfDirect(complete);
  }

  /** Over no logged bytes the file's count with or without a record: it is not worth a wait. */
  private boolean markDirect(final long offset, final int length, final boolean overlaps)
      throws IOException {
    return attachment.writer().mark(RecordDescriptor.TYPE_DIRECT, id, offset, length, overlaps)
        || !overlaps;
  }

  private void writeFile(final ByteBuffer source, final long offset, final Reason reason)
      throws IOException {
    final long start = System.nanoTime();
    final int begin = source.position();
    while (source.hasRemaining()) {
      file.write(source, offset + source.position() - begin);
    }
    final long length = source.position() - begin;
    attachment.writer().countDirect(length, System.nanoTime() - start, reason);
    table.addDirect(entry, length);
  }

  private void widenPending(final long low, final long high) {
    pendingLow = Math.min(pendingLow, low);
    pendingHigh = Math.max(pendingHigh, high);
  }

  private void growTo(final long size) {
    if (size > table.size(entry)) {
      table.size(entry, size);
    }
  }

  private boolean settledIfDirect(final boolean complete) throws IOException {
    VarHandle.fullFence();
    if (!complete) {
      attachment.writer().countFallback();
      goDirect(Reason.FULL);
    }
    return isDiverted();
  }

  private boolean isDiverted() throws IOException {
    if (direct == Reason.NONE && table.state(entry) != ImageDescriptor.STATE_DIVERTED) {
      final Reason reason = table.reason(entry);
      goDirect(reason == Reason.NONE ? Reason.OTHER : reason);
    }
    return direct == Reason.NONE;
  }

  private void goDirect(final Reason reason) throws IOException {
    settle(reason);
    direct = reason;
  }

  /** Publishes first, so that nothing of the image is left in the log to be drained later. */
  private void settle(final Reason reason) throws IOException {
    attachment.writer().publish();
    attachment.connection().call(new Request.Settle(id, reason.ordinal()));
    clearPending();
  }

  private void clearPending() {
    pendingLow = Long.MAX_VALUE;
    pendingHigh = 0;
  }

  /**
   * Reads at the position, after everything written so far was brought into the image's own file.
   *
   * @param target where the bytes go
   * @return how many there were; -1 at the end
   * @throws IOException when storage failed, now or in the drain
   */
  @Override
  public synchronized int read(final ByteBuffer target) throws IOException {
    checkUsable();
    if (isDiverted() && pendingLow < pendingHigh) {
      settle(Reason.NONE);
    }
    final int count = file.read(target, position);
    position += Math.max(count, 0);
    return count;
  }

  @Override
  public synchronized long position() throws IOException {
    checkOpen();
    return position;
  }

  /**
   * Moves the position, beyond the end if need be; what is skipped reads as zeros.
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
    return isDiverted() ? table.size(entry) : file.size();
  }

  /**
   * Cuts the image.
   *
   * @param size bytes to keep; nothing changes when the image is not longer
   * @return this channel
   */
  @Override
  public synchronized ImageChannel truncate(final long size) throws IOException {
    checkUsable();
    if (size < 0) {
      throw new IllegalArgumentException("negative size: " + size);
    }
    if (size < size() && !(isDiverted() && truncateLogged(size))) {
      file.truncate(size);
    }
    position = Math.min(position, size);
    return this;
  }

  /** False when the image went direct and the file must be cut. */
  private boolean truncateLogged(final long size) throws IOException {
    widenPending(size, Long.MAX_VALUE);
    if (container) {
      file.truncate(size);
    }
    final boolean complete =
        attachment.writer().mark(RecordDescriptor.TYPE_TRUNCATE, id, size, 0, true);
    table.size(entry, size);
    return settledIfDirect(complete);
  }

  /**
   * Returns once everything written so far is on stable storage.
   *
   * @throws IOException when storage failed, now or in the drain
   */
  public synchronized void sync() throws IOException {
    checkUsable();
    attachment.writer().publish();
    attachment.connection().call(new Request.Sync(id));
    if (!container) {
      clearPending();
    }
    checkUsable();
  }

  @Override
  public synchronized boolean isOpen() {
    return open;
  }

  /**
   * Ends the writing. Closing again does nothing.
   *
   * @throws IOException when the drain met a storage error on the image so far
   */
  @Override
  public synchronized void close() throws IOException {
    if (!open) {
      return;
    }
    open = false;
    try (file) {
      attachment.writer().publish();
      attachment.writer().end(id, opened);
      checkError();
    }
  }

  private void checkUsable() throws IOException {
    checkOpen();
    checkError();
  }

  private void checkOpen() throws ClosedChannelException {
    if (!open) {
      throw new ClosedChannelException();
    }
  }

  private void checkError() throws PosixException {
    final int errno = table.error(entry);
    if (errno != 0) {
      throw new PosixException("store image " + name, errno);
    }
  }
}
