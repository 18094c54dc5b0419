package org.sluice.core.store.node;

import java.io.IOException;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.store.model.ImageTarget;
import org.sluice.core.store.model.OutOfOrderException;

/**
 * Hands out the bytes of an image in the order of their offsets, as long as its records ascend. The
 * image's own file has what lies between them. Not thread-safe.
 */
final class OrderedImage {
  private final int imageId;
  private final Gap gap;
  private final ImageTarget target;

  /** The end of what was handed out. */
  private long end;

  /** A part of the image that no record has so far. */
  @FunctionalInterface
  interface Gap {
    void read(long from, long to) throws IOException;
  }

  /**
   * Creates the beginning of an image.
   *
   * @param gap hands out what the image's own file has of a part
   */
  OrderedImage(final int imageId, final Gap gap, final ImageTarget target) {
    this.imageId = imageId;
    this.gap = gap;
    this.target = target;
  }

  /** Hands out what the next chunk has. */
  void add(final ChunkReader chunk) throws IOException {
    chunk.rewind();
    while (chunk.next()) {
      if (chunk.imageId() == imageId) {
        take(chunk);
      }
    }
  }

  /** Hands out a write. Bytes of the file lie behind all that was handed out. */
  private void take(final ChunkReader record) throws IOException {
    if (record.type() == RecordDescriptor.TYPE_TRUNCATE || record.offset() < end) {
      throw new OutOfOrderException();
    }
    if (record.type() == RecordDescriptor.TYPE_DIRECT) {
      return;
    }
    finish(record.offset());
    if (record.length() > 0) {
      target.write(
          record.chunk().addressOffset() + record.payload(), record.length(), record.offset());
    }
    end = record.offset() + record.length();
  }

  /** Hands out what the file has up to an offset behind all records. */
  void finish(final long to) throws IOException {
    if (end < to) {
      gap.read(end, to);
      end = to;
    }
  }
}
