package org.sluice.iop.drain;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.agrona.collections.IntArrayList;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.store.ChunkLocation;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Warnings;

/** Takes a chunk through the drain. One that makes no sense fails its owner's images, no others. */
final class ChunkWork implements Work {
  private static final IntArrayList NONE = new IntArrayList();

  private final Drain drain;
  private final int slot;
  private final int index;
  private final boolean adopted;
  private final long word;
  private final UnsafeBuffer memory;
  private int used;
  private int crc;
  private ExtentTable extents;
  private IntArrayList poisoned = NONE;

  private ChunkWork(
      final Drain drain,
      final int slot,
      final int index,
      final long word,
      final int used,
      final boolean adopted) {
    this.drain = drain;
    this.slot = slot;
    this.index = index;
    this.used = used;
    this.adopted = adopted;
    this.word = word;
    this.memory = drain.segment().chunk(index);
  }

  /** A chunk whose owner said how much of it is used. */
  static ChunkWork published(
      final Drain drain, final int slot, final int index, final long word, final int used) {
    return new ChunkWork(drain, slot, index, word, used, false);
  }

  /** A chunk whose owner died before it said so; its header tells. */
  static ChunkWork adopted(final Drain drain, final int slot, final int index, final long word) {
    return new ChunkWork(drain, slot, index, word, 0, true);
  }

  /** Whether the chunk went into the drain with this state word. */
  boolean isOf(final long published) {
    return ChunkStateDescriptor.slot(word) == ChunkStateDescriptor.slot(published)
        && ChunkStateDescriptor.generation(word) == ChunkStateDescriptor.generation(published);
  }

  @Override
  public void validate() {
    extents = drain.takeTable();
    if (drain.inFlight().hasSuspects()) {
      lookForPoison();
    }
    try {
      if (poisoned.containsInt(Lane.NO_IMAGE)) {
        throw new PoisonException(Subject.CHUNK);
      }
      if (!adopted || memory.getInt(ChunkDescriptor.USED_OFFSET) != 0) {
        copyOut();
        checksum();
      }
    } catch (final IOException e) {
      extents.clear();
      drain.grants().all(slot).forEach(image -> image.fail(e));
    }
  }

  /** A process whose chunks were poison again and again is not heard any more. */
  private void lookForPoison() {
    poisoned = drain.inFlight().poisoned(id());
    if (drain.inFlight().isCutOff(slot)) {
      poisoned.addInt(Lane.NO_IMAGE);
    }
  }

  private void copyOut() throws IOException {
    final long session = drain.sessionId();
    final ChunkReader reader = drain.reader();
    final Lane lane = drain.inFlight().lane(Lane.Role.VALIDATE);
    if (adopted) {
      reader.wrapOpen(memory, session).seal(memory);
      used = reader.used();
      drain.statistics().published(used);
    } else {
      reader.wrap(memory, used, session);
    }
    if (used > ChunkDescriptor.HEADER_LENGTH
        && memory.getInt(ChunkDescriptor.SLOT_OFFSET) != slot) {
      throw damage(ChunkDescriptor.SLOT_OFFSET, "slot %d published it".formatted(slot));
    }
    Image last = null;
    while (reader.next()) {
      final Image image = drain.grants().find(slot, reader.imageId());
      if (image == null) {
        final String reason = "slot %d may not write image %d".formatted(slot, reader.imageId());
        throw damage(reader.position(), reason);
      }
      if (image != last) {
        lane.image(image.id());
        Fault.strike(FaultPoint.VALIDATE);
        last = image;
      }
      if (poisoned.containsInt(image.id())) {
        image.fail(new PoisonException(Subject.CHUNK));
      } else {
        extents.add(image, reader);
      }
      if (reader.type() == RecordDescriptor.TYPE_WRITE) {
        image.addLogged(reader.length());
      }
    }
  }

  /**
   * Here and not in the write stage, which waits for storage meanwhile. A process that changes a
   * chunk it has published makes the crc wrong, and a restore then names the chunk as damaged: a
   * chunk holds records of images that its own slot was granted, and of no others.
   */
  private void checksum() {
    if (!drain.isInPlace()) {
      final int header = ChunkDescriptor.HEADER_LENGTH;
      crc = Crc32c.of(memory, header, used - header);
    }
  }

  private DamagedException damage(final int offset, final String reason) {
    return new DamagedException("chunk " + index, offset, reason);
  }

  @Override
  public void write() {
    if (extents.count() > 0) {
      drain
          .layout()
          .drain(
              new DrainedChunk(index, generation(), slot, memory, used, crc, extents),
              this::release);
    } else {
      release(null);
    }
  }

  private void release(final ChunkLocation location) {
    drain.journal().write(new Entry.Drained(index, generation(), location, shares(location)));
    forgetMarks();
    drain.returnTable(extents);
    if (!drain.segment().chunkPool().release(index, word)) {
      Warnings.warn("slot %d overwrote the state of its chunk %d".formatted(slot, index));
    }
    drain.left(index, this);
    drain.inFlight().lane(Lane.Role.WRITE).passed(Subject.CHUNK, id());
    drain.inFlight().progress();
    drain.statistics().drained(Math.min(used, memory.capacity()));
  }

  /** Of the records that were applied before; a later use of the chunk has none. */
  private void forgetMarks() {
    Image last = null;
    for (int i = 0; i < extents.count(); i++) {
      final Image image = extents.image(i);
      if (image != last) {
        image.log().unmark(index);
      }
      last = image;
    }
  }

  private int generation() {
    return ChunkStateDescriptor.generation(word);
  }

  /** The images whose logs refer to the chunk now. */
  private List<Entry.Share> shares(final ChunkLocation location) {
    final Set<Entry.Share> shares = new LinkedHashSet<>();
    Image last = null;
    for (int i = 0; i < extents.count() && location != null; i++) {
      final Image image = extents.image(i);
      if (image != last && !image.log().isInPlace()) {
        shares.add(new Entry.Share(image.id(), image.log().size()));
      }
      last = image;
    }
    return List.copyOf(shares);
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
    return DrainedChunk.id(index, generation());
  }

  @Override
  public int slot() {
    return slot;
  }

  @Override
  public boolean isHeld(final Lane.Role role) {
    return role == Lane.Role.WRITE;
  }
}
