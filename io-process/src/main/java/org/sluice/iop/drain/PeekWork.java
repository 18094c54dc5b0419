package org.sluice.iop.drain;

import java.io.IOException;
import org.agrona.collections.IntArrayList;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.image.Image;

/**
 * Puts what a process has appended to its open chunk so far into the images' own files, in the
 * files layout. The process goes on appending, and its images stay as they are.
 *
 * <p>The chunk is drained some day like any other. How much of it was applied here is remembered
 * until then. The journal need not know: an I/O process that is resumed writes those bytes once
 * more, over nothing newer, since a diverted image has one writer, whose direct writes wait for
 * what they overlap, and one that turns direct has its marks in the journal.
 */
final class PeekWork implements Work {
  private final Drain drain;
  private final int slot;
  private final int index;
  private final int generation;
  private final UnsafeBuffer memory;
  private ExtentTable extents;

  /**
   * An open chunk, or one that was published but not told of.
   *
   * @param word its state word
   */
  PeekWork(final Drain drain, final int slot, final int index, final long word) {
    this.drain = drain;
    this.slot = slot;
    this.index = index;
    this.generation = ChunkStateDescriptor.generation(word);
    this.memory = drain.segment().chunk(index);
  }

  @Override
  public void validate() {
    extents = drain.takeTable();
    try {
      copyOut();
    } catch (final IOException e) {
      extents.clear();
      drain.grants().all(slot).forEach(image -> image.fail(e));
    }
  }

  private void copyOut() throws IOException {
    final ChunkReader reader = drain.reader();
    final Lane lane = drain.inFlight().lane(Lane.Role.VALIDATE);
    final IntArrayList poisoned = drain.inFlight().poisoned(id());
    if (poisoned.containsInt(Lane.NO_IMAGE) || drain.inFlight().isCutOff(slot)) {
      throw new PoisonException(Subject.CHUNK);
    }
    reader.wrapOpen(memory, drain.sessionId());
    while (reader.next()) {
      final Image image = drain.grants().find(slot, reader.imageId());
      if (image != null) { // otherwise the chunk is refused when it is drained
        lane.image(image.id());
        if (poisoned.containsInt(image.id())) {
          image.fail(new PoisonException(Subject.CHUNK));
        } else {
          extents.add(image, reader);
        }
      }
    }
  }

  @Override
  public void write() {
    drain
        .layout()
        .drain(new DrainedChunk(index, generation, slot, memory, 0, 0, extents), any -> {});
    for (int i = 0; i < extents.count(); i++) {
      extents.image(i).log().mark(index, generation, extents.payloadEnd(i));
    }
    drain.returnTable(extents);
  }

  @Override
  public boolean commits() {
    return false;
  }

  @Override
  public Subject subject() {
    return Subject.CHUNK;
  }

  @Override
  public long id() {
    return DrainedChunk.id(index, generation);
  }

  @Override
  public int slot() {
    return slot;
  }
}
