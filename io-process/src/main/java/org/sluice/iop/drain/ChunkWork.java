package org.sluice.iop.drain;

import java.io.IOException;
import org.agrona.collections.IntArrayList;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.image.Image;

/**
 * A chunk on its way through the drain. The first stage checks its records and copies them out of
 * shared memory. The write stage gives it to the layout, which says when it has finished with it.
 */
abstract class ChunkWork implements Work {
  private static final IntArrayList NONE = new IntArrayList();

  final DrainContext context;
  final int slot;

  final int index;

  /** The chunk's state word, as the service thread read it once. */
  final long word;

  /** The generation, which tells the uses of the chunk apart. */
  final int generation;

  final UnsafeBuffer memory;

  /** The chunk's used length, in bytes; 0 where no sink keeps it. */
  int used;

  /** The checksum of the records; 0 where no sink keeps it. */
  int crc;

  /** The chunk's extents, from the first stage until the chunk is released. */
  ExtentTable extents;

  private IntArrayList poisoned = NONE;

  ChunkWork(final DrainContext context, final int slot, final int index, final long word) {
    this.context = context;
    this.slot = slot;
    this.index = index;
    this.word = word;
    this.generation = ChunkStateDescriptor.generation(word);
    this.memory = context.segment().chunk(index);
  }

  /** Copies out the records of images that the slot may append to, by {@link #add}. */
  abstract void copyOut() throws IOException;

  /**
   * Ends the work, as the layout does not need the chunk's memory any more.
   *
   * @param location its place in a container; null when it is in none
   */
  abstract void released(ChunkLocation location);

  @Override
  public final void validate() {
    extents = context.reading().tables().take(context.sink()::flush);
    try {
      if (context.inFlight().hasSuspects()) {
        lookForPoison();
      }
      copyOut();
    } catch (final IOException e) {
      extents.clear();
      context.reading().grants().all(slot).forEach(image -> image.fail(e));
    }
  }

  /** A process whose chunks were poison again and again is not heard any more. */
  private void lookForPoison() throws PoisonException {
    poisoned = context.inFlight().poisoned(id());
    if (poisoned.containsInt(Lane.NO_IMAGE) || context.inFlight().isCutOff(slot)) {
      throw new PoisonException(Subject.CHUNK);
    }
  }

  /** Adds the record that the reader is at. */
  final void add(final Image image) {
    if (poisoned.containsInt(image.id())) {
      image.fail(new PoisonException(Subject.CHUNK));
    } else {
      extents.add(image, context.reading().reader());
    }
  }

  /**
   * Gives the chunk to the layout, also one without extents: an earlier look at it may wait to be
   * written.
   */
  @Override
  public final void write() {
    context.sink().drain(this);
  }

  /** Releases the chunk, as the sink has finished with it. */
  final void release(final ChunkLocation location) {
    released(location);
    context.reading().tables().giveBack(extents);
  }

  final void begin(final Lane lane) {
    lane.begin(Subject.CHUNK, id(), slot, Lane.NO_IMAGE);
  }

  @Override
  public final boolean overtakes() {
    return true;
  }

  @Override
  public final boolean commits() {
    return false;
  }

  @Override
  public final Subject subject() {
    return Subject.CHUNK;
  }

  @Override
  public final long id() {
    return (long) index << Integer.SIZE | Integer.toUnsignedLong(generation);
  }

  @Override
  public final int slot() {
    return slot;
  }
}
