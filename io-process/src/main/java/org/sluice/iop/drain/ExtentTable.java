package org.sluice.iop.drain;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.LongArrayList;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.iop.image.Image;

/**
 * The records of one chunk, checked and copied out of shared memory. So later changes of the chunk
 * by a process affect only the payload itself.
 */
final class ExtentTable {
  /** The tables of chunks that are checked and not released yet. First stage only. */
  static final class Pool {
    /** Bounds the heap: the chunks that may wait to be written together. */
    private static final int MOST = 32;

    private final Deque<ExtentTable> free = new ArrayDeque<>(MOST);

    Pool() {
      for (int i = 0; i < MOST; i++) {
        free.add(new ExtentTable());
      }
    }

    /**
     * @param flush lets chunks go that have tables, where none is left, while it is told to go on
     */
    ExtentTable take(final Consumer<BooleanSupplier> flush) {
      if (free.isEmpty()) {
        flush.accept(() -> !free.isEmpty());
      }
      return free.remove();
    }

    void giveBack(final ExtentTable table) {
      table.clear();
      free.add(table);
    }
  }

  private final List<Image> images = new ArrayList<>();
  private final IntArrayList types = new IntArrayList();
  private final LongArrayList offsets = new LongArrayList();
  private final LongArrayList lengths = new LongArrayList();
  private final IntArrayList payloads = new IntArrayList();

  void clear() {
    images.clear();
    types.clear();
    offsets.clear();
    lengths.clear();
    payloads.clear();
  }

  void add(final Image image, final ChunkReader record) {
    images.add(image);
    types.addInt(record.type());
    offsets.addLong(record.offset());
    lengths.addLong(record.length());
    payloads.addInt(record.payload());
  }

  int count() {
    return images.size();
  }

  Image image(final int i) {
    return images.get(i);
  }

  /** Returns the type, {@code RecordDescriptor.TYPE_*}. */
  int type(final int i) {
    return types.getInt(i);
  }

  long offset(final int i) {
    return offsets.getLong(i);
  }

  long length(final int i) {
    return lengths.getLong(i);
  }

  int payload(final int i) {
    return payloads.getInt(i);
  }

  /** Returns the end of the payload in the chunk; only a WRITE has a payload. */
  int payloadEnd(final int i) {
    return payload(i) + (type(i) == RecordDescriptor.TYPE_WRITE ? (int) length(i) : 0);
  }
}
