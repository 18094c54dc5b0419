package org.sluice.core.segment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.sluice.core.posix.FileIdentity;

/** Segments with all of their memory, and what programs in C do with them. */
public final class TestSegments {
  private static final int WORDS_IN_A_LINE = 8;

  private TestSegments() {}

  public static Segment create(
      final Path file, final Geometry geometry, final SegmentSettings settings) throws IOException {
    final Segment segment = Segment.reserve(file, geometry, settings);
    try {
      for (int chunk = 0; chunk < geometry.chunkCount(); chunk++) {
        segment.provideNext();
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

  /** An entry for a file that the process of a slot says it has created. */
  public static int enter(
      final Segment segment, final int slot, final int id, final FileIdentity file) {
    final ImageTable table = segment.imageTable();
    final int entry = table.insert(file.device(), file.inode(), id, ImageDescriptor.STATE_FREE, 0);
    final int offset = entry * ImageDescriptor.LENGTH;
    table.entries.putInt(offset + ImageDescriptor.BORN_OFFSET, (int) file.born());
    table.entries.putInt(offset + ImageDescriptor.CREATOR_OFFSET, slot + 1);
    table.state(entry, ImageDescriptor.STATE_DIVERTED);
    return entry;
  }

  /** Puts an OPEN and its name on a ring whose end is far: its length last, as in C. */
  public static void open(
      final Segment segment, final int slot, final int id, final int entry, final String path) {
    final OneToOneRingBuffer ring = ring(segment, slot);
    final AtomicBuffer buffer = ring.buffer();
    final byte[] name = path.getBytes(StandardCharsets.UTF_8);
    final int first = (int) (ring.producerPosition() % RingDescriptor.CAPACITY);
    int at = first;
    for (int done = 0; done < name.length; done += RingDescriptor.BODY_LENGTH) {
      at += RingDescriptor.RECORD_LENGTH;
      final int length = Math.min(RingDescriptor.BODY_LENGTH, name.length - done);
      buffer.putInt(RecordDescriptor.typeOffset(at), RingDescriptor.TYPE_NAME);
      buffer.putBytes(RecordDescriptor.encodedMsgOffset(at), name, done, length);
      buffer.putInt(RecordDescriptor.lengthOffset(at), RingDescriptor.RECORD_LENGTH);
    }
    buffer.putInt(RecordDescriptor.lengthOffset(at + RingDescriptor.RECORD_LENGTH), 0);
    final int body = RecordDescriptor.encodedMsgOffset(first);
    buffer.putInt(body + RingDescriptor.OPEN_IMAGE_OFFSET, id);
    buffer.putInt(body + RingDescriptor.ENTRY_OFFSET, entry);
    buffer.putInt(body + RingDescriptor.DESCRIPTOR_OFFSET, -1);
    buffer.putInt(body + RingDescriptor.NAME_LENGTH_OFFSET, name.length);
    buffer.putInt(RecordDescriptor.typeOffset(first), RingDescriptor.TYPE_OPEN);
    final int tail = RingDescriptor.CAPACITY + RingDescriptor.TAIL_POSITION_OFFSET;
    buffer.putLong(tail, buffer.getLong(tail) + at + RingDescriptor.RECORD_LENGTH - first);
    buffer.putIntRelease(RecordDescriptor.lengthOffset(first), RingDescriptor.RECORD_LENGTH);
  }

  /** Has the files that this thread opens pass the guard from here on, as a shim's openings do. */
  public static void announceOpenings(final Segment segment) throws IOException {
    final Path self = Files.readSymbolicLink(Path.of("/proc/thread-self")); // PID/task/TID
    final long thread = Long.parseLong(self.getFileName().toString());
    final long lines = HeaderDescriptor.OPENINGS / WORDS_IN_A_LINE;
    final long index = thread % lines * WORDS_IN_A_LINE + thread / lines % WORDS_IN_A_LINE;
    segment
        .header()
        .buffer
        .putLongRelease(
            HeaderDescriptor.OPENINGS_OFFSET + (int) index * Long.BYTES,
            ProcessHandle.current().pid() << 32 | thread);
  }

  /** What a process stores when it ends well. */
  public static void leave(final Segment segment, final int slot) {
    segment.slot(slot).buffer.putIntRelease(SlotDescriptor.LEFT_OFFSET, 1);
  }
}
