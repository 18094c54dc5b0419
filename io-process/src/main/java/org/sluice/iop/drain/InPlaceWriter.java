package org.sluice.iop.drain;

import java.io.IOException;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.Pieces;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.image.Image;

/**
 * Writes extents into the images' own files, straight from the chunk. Extents that continue each
 * other cost one system call. Write stage only.
 */
final class InPlaceWriter {
  private static final int MOST_PIECES = 1024;

  /** From here on the disk need not wait for a sync. */
  private static final int PAST_CACHE_LENGTH = 256 * 1024;

  /** Extents not yet written that continue each other, from {@code offset} on. */
  private final Pieces run = new Pieces(MOST_PIECES);

  private final Lane lane;
  private Image image;
  private long offset;

  /**
   * A writer.
   *
   * @param lane learns which images it comes to
   */
  InPlaceWriter(final Lane lane) {
    this.lane = lane;
  }

  /**
   * Writes those extents of a chunk whose images are in place and which were not applied before.
   *
   * @param extents its records
   * @param memory where it lies in the segment
   * @param chunk its index
   * @param generation tells its uses apart
   */
  void write(
      final ExtentTable extents, final UnsafeBuffer memory, final int chunk, final int generation) {
    for (int i = 0; i < extents.count(); i++) {
      final Image owner = extents.image(i);
      if (owner.log().isInPlace()) {
        final int mark = owner.log().markOf(chunk, generation);
        if (mark == 0 || extents.payloadEnd(i) > mark) {
          apply(extents, memory, i, Math.max(0, mark - extents.payload(i)));
        }
      }
    }
    flush();
  }

  private void apply(
      final ExtentTable extents, final UnsafeBuffer memory, final int i, final int applied) {
    final Image owner = extents.image(i);
    owner.log().follow(extents.type(i), extents.offset(i), extents.length(i));
    if (extents.type(i) == RecordDescriptor.TYPE_WRITE) {
      append(
          owner,
          memory.addressOffset() + extents.payload(i) + applied,
          extents.length(i) - applied,
          extents.offset(i) + applied);
    } else if (extents.type(i) == RecordDescriptor.TYPE_TRUNCATE) {
      flush();
      lane.image(owner.id());
      truncate(owner, extents.offset(i));
    }
  }

  private void append(final Image owner, final long from, final long bytes, final long to) {
    if (owner != image || to != offset + run.length() || run.isFull()) {
      flush();
      lane.image(owner.id());
      image = owner;
      offset = to;
    }
    run.add(from, bytes);
  }

  private void flush() {
    if (image != null) {
      lane.image(image.id());
      Fault.strike(FaultPoint.WRITE);
      try {
        if (run.length() < PAST_CACHE_LENGTH) {
          image.file().pwrite(run, offset);
        } else {
          image.file().pwritePast(run, offset);
        }
      } catch (final IOException e) {
        image.fail(e);
      }
      image = null;
    }
  }

  private static void truncate(final Image owner, final long size) {
    try {
      owner.file().truncate(size);
    } catch (final IOException e) {
      owner.fail(e);
    }
  }
}
