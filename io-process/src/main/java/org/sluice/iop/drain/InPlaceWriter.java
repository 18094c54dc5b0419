package org.sluice.iop.drain;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.posix.PosixException;
import org.sluice.iop.image.Image;

/**
 * Writes extents into the images' own files, straight from the chunk. Small extents that continue
 * each other are gathered first, so that they cost one system call. Write stage only.
 */
final class InPlaceWriter {
  private static final int GATHER_LENGTH = 256 * 1024;

  private final UnsafeBuffer gathered =
      new UnsafeBuffer(BufferUtil.allocateDirectAligned(GATHER_LENGTH, 4096));

  /** The run of bytes not yet written. */
  private Image image;

  private long address;
  private long offset;
  private long length;

  /**
   * Writes those extents of a chunk whose images are in place and which were not applied before.
   */
  void write(final DrainedChunk chunk) {
    final ExtentTable extents = chunk.extents();
    for (int i = 0; i < extents.count(); i++) {
      final Image owner = extents.image(i);
      if (owner.log().isInPlace()) {
        final int mark = owner.log().markOf(chunk.index(), chunk.generation());
        if (mark == 0 || extents.payloadEnd(i) > mark) {
          write(chunk, i, Math.max(0, mark - extents.payload(i)));
        }
      }
    }
    flush();
  }

  private void write(final DrainedChunk chunk, final int i, final int applied) {
    final ExtentTable extents = chunk.extents();
    final Image owner = extents.image(i);
    owner.log().follow(extents.type(i), extents.offset(i), extents.length(i));
    if (extents.type(i) == RecordDescriptor.TYPE_WRITE) {
      append(
          owner,
          chunk.memory().addressOffset() + extents.payload(i) + applied,
          extents.length(i) - applied,
          extents.offset(i) + applied);
    } else if (extents.type(i) == RecordDescriptor.TYPE_TRUNCATE) {
      flush();
      truncate(owner, extents.offset(i));
    }
  }

  private void append(final Image owner, final long from, final long bytes, final long to) {
    final boolean continues = owner == image && to == offset + length;
    if (!continues || length + bytes > GATHER_LENGTH) {
      flush();
      image = owner;
      address = from;
      offset = to;
      length = bytes;
      return;
    }
    if (address != gathered.addressOffset()) {
      copy(address, 0, length);
      address = gathered.addressOffset();
    }
    copy(from, (int) length, bytes);
    length += bytes;
  }

  private void copy(final long from, final int index, final long bytes) {
    gathered.putBytes(index, new UnsafeBuffer(from, (int) bytes), 0, (int) bytes);
  }

  private void flush() {
    if (image != null) {
      try {
        image.file().pwrite(address, length, offset);
      } catch (final PosixException e) {
        image.fail(e);
      }
      image = null;
    }
  }

  private static void truncate(final Image owner, final long size) {
    try {
      owner.file().truncate(size);
    } catch (final PosixException e) {
      owner.fail(e);
    }
  }
}
