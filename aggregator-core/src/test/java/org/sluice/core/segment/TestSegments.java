package org.sluice.core.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;

/** Segments with all of their memory, and what programs in C do with them. */
public final class TestSegments {
  private TestSegments() {}

  public static Segment create(
      final Path file, final Geometry geometry, final SegmentSettings settings) throws IOException {
    final Segment segment = Segment.reserve(file, geometry, settings);
    try {
      for (int chunk = 0; chunk < geometry.chunkCount(); chunk++) {
        segment.provide(chunk);
      }
      return segment;
    } catch (final IOException e) {
      segment.close();
      Files.delete(file);
      throw e;
    }
  }

  public static OneToOneRingBuffer ring(final Segment segment, final int slot) {
    return new OneToOneRingBuffer(segment.ringBuffer(slot));
  }

  /** The entry of an inode; -1 when it has none. */
  public static int find(final ImageTable table, final long device, final long inode) {
    final int first =
        find(table, ImageDescriptor.first(device, inode, table.count()), device, inode);
    return first >= 0
        ? first
        : find(table, ImageDescriptor.second(device, inode, table.count()), device, inode);
  }

  private static int find(
      final ImageTable table, final int bucket, final long device, final long inode) {
    for (int entry = bucket; entry < bucket + ImageDescriptor.BUCKET_LENGTH; entry++) {
      final int offset = entry * ImageDescriptor.LENGTH;
      if (table.state(entry) != ImageDescriptor.STATE_FREE
          && table.entries.getLongAcquire(offset + ImageDescriptor.DEVICE_OFFSET) == device
          && table.entries.getLongAcquire(offset + ImageDescriptor.INODE_OFFSET) == inode) {
        return entry;
      }
    }
    return -1;
  }

  /** What a process stores when it ends well. */
  public static void leave(final Segment segment, final int slot) {
    segment.slot(slot).buffer.putIntRelease(SlotDescriptor.LEFT_OFFSET, 1);
  }
}
