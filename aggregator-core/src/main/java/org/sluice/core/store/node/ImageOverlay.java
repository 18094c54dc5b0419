package org.sluice.core.store.node;

import java.io.IOException;
import org.agrona.collections.IntArrayList;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.posix.Extent;
import org.sluice.core.store.model.ImageTarget;
import org.sluice.core.store.model.RangeSet;

/**
 * Writes what the log holds of one image over the image's own file, so that the bytes written last
 * win. The overlay takes the records newest first, and writes of each what no newer one decided. A
 * WRITE decides its bytes, a DIRECT record leaves them to the file, a TRUNCATE decides everything
 * behind it. So every byte is written once, nothing is kept but the set of decided offsets, and the
 * target may be the image's own file.
 *
 * <p>A writer that logs a TRUNCATE also truncates the image's own file. Not thread-safe.
 */
public final class ImageOverlay {
  private final int imageId;
  private final ImageTarget target;
  private final RangeSet decided = new RangeSet();
  private final IntArrayList positions = new IntArrayList();

  /**
   * @param size the image's size; nothing is written behind it
   * @param target takes the bytes, such as {@code file::pwrite}
   */
  public ImageOverlay(final int imageId, final long size, final ImageTarget target) {
    this.imageId = imageId;
    this.target = target;
    cut(size);
  }

  public void addOlder(final ChunkReader chunk) throws IOException {
    positions.clear();
    chunk.rewind();
    while (chunk.next()) {
      if (chunk.imageId() == imageId) {
        positions.addInt(chunk.position());
      }
    }
    for (int i = positions.size() - 1; i >= 0; i--) {
      chunk.goTo(positions.getInt(i));
      take(chunk);
    }
  }

  private void take(final ChunkReader record) throws IOException {
    final long begin = record.offset();
    final long end = begin + record.length();
    switch (record.type()) {
      case RecordDescriptor.TYPE_TRUNCATE -> cut(begin);
      case RecordDescriptor.TYPE_DIRECT -> decided.add(begin, end);
      default -> {
        final long payload = record.chunk().addressOffset() + record.payload();
        for (final Extent gap : decided.add(begin, end)) {
          target.write(payload + gap.offset() - begin, gap.length(), gap.offset());
        }
      }
    }
  }

  private void cut(final long size) {
    decided.add(size, Long.MAX_VALUE);
  }
}
