package org.sluice.iop.drain;

import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.iop.image.Image;

/**
 * The records of one chunk, checked and copied out of shared memory, so that nothing a process does
 * to the chunk afterwards matters but the payload itself. Filled by the first stage, read by the
 * second.
 */
final class ExtentTable {
  /** Tables that the first stage may fill; it waits while the second is that far behind. */
  static final class Pool {
    /** How far the first stage may be ahead of the second; bounds the heap. */
    private static final int MOST = 16;

    private final BlockingQueue<ExtentTable> free = new ArrayBlockingQueue<>(MOST);

    Pool() {
      for (int i = 0; i < MOST; i++) {
        free.add(new ExtentTable());
      }
    }

    ExtentTable take() {
      try {
        return free.take();
      } catch (final InterruptedException nobodyDoes) {
        throw new IllegalStateException(nobodyDoes);
      }
    }

    void giveBack(final ExtentTable table) {
      table.clear();
      free.add(table);
    }
  }

  private static final int INITIAL_CAPACITY = 64;

  private Image[] images = new Image[INITIAL_CAPACITY];
  private int[] types = new int[INITIAL_CAPACITY];
  private long[] offsets = new long[INITIAL_CAPACITY];
  private long[] lengths = new long[INITIAL_CAPACITY];
  private int[] payloads = new int[INITIAL_CAPACITY];
  private int count;

  void clear() {
    Arrays.fill(images, 0, count, null);
    count = 0;
  }

  void add(final Image image, final ChunkReader record) {
    if (count == types.length) {
      grow(2 * count);
    }
    images[count] = image;
    types[count] = record.type();
    offsets[count] = record.offset();
    lengths[count] = record.length();
    payloads[count] = record.payload();
    count++;
  }

  private void grow(final int capacity) {
    images = Arrays.copyOf(images, capacity);
    types = Arrays.copyOf(types, capacity);
    offsets = Arrays.copyOf(offsets, capacity);
    lengths = Arrays.copyOf(lengths, capacity);
    payloads = Arrays.copyOf(payloads, capacity);
  }

  int count() {
    return count;
  }

  Image image(final int i) {
    return images[i];
  }

  /** One of {@code RecordDescriptor.TYPE_*}. */
  int type(final int i) {
    return types[i];
  }

  long offset(final int i) {
    return offsets[i];
  }

  long length(final int i) {
    return lengths[i];
  }

  /** Where the payload begins in the chunk. */
  int payload(final int i) {
    return payloads[i];
  }

  /** Where the payload ends in the chunk; only a WRITE has one. */
  int payloadEnd(final int i) {
    return types[i] == RecordDescriptor.TYPE_WRITE ? payloads[i] + (int) lengths[i] : payloads[i];
  }
}
