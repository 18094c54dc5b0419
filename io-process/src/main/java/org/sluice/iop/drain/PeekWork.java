package org.sluice.iop.drain;

import java.io.IOException;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.image.Image;

/**
 * The work that puts the bytes of an open chunk so far into the images' own files, in the files
 * layout. The process goes on appending, and its images stay as they are.
 *
 * <p>The chunk is drained some day like any other. The part of it that was applied here is
 * remembered until then. The journal need not know: an I/O process that is resumed writes those
 * bytes once more, over nothing newer. For a diverted image has one writer, whose older chunks are
 * all in the drain before, and whose direct writes wait for overlapping bytes. An image that turns
 * direct has its marks in the journal.
 */
final class PeekWork extends ChunkWork {
  /** Creates the work for an open chunk, or for one that was published but not told of. */
  PeekWork(final DrainContext context, final int slot, final int index, final long word) {
    super(context, slot, index, word);
  }

  @Override
  void copyOut() throws IOException {
    final ChunkReader reader = context.reading().reader();
    final Lane lane = context.inFlight().lane(Lane.Role.VALIDATE);
    reader.wrapOpen(memory, context.reading().sessionId());
    while (reader.next()) {
      final Image image = context.reading().grants().find(slot, reader.imageId());
      if (image != null) { // otherwise the chunk is refused when it is drained
        lane.image(image.id());
        add(image);
      }
    }
  }

  @Override
  void released(final ChunkLocation nowhere) {
    for (int i = 0; i < extents.count(); i++) {
      extents.image(i).log().mark(index, generation, extents.payloadEnd(i));
    }
  }
}
