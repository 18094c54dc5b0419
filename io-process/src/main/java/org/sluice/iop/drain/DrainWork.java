package org.sluice.iop.drain;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Occurrence;
import org.sluice.iop.measure.Warnings;

/** The drain of a chunk. A chunk that makes no sense fails its owner's images, no others. */
final class DrainWork extends ChunkWork {
  private final boolean adopted;

  /**
   * @param used used length of the chunk; {@link Drain#ADOPTED} when its owner died before it told,
   *     and its header tells
   */
  DrainWork(
      final DrainContext context,
      final int slot,
      final int index,
      final long word,
      final int used) {
    super(context, slot, index, word);
    this.adopted = used == Drain.ADOPTED;
    if (!adopted) {
      use(used);
    }
  }

  private void use(final int bytes) {
    used = bytes;
    context.statistics().count(Occurrence.PUBLISHED_BYTES, Math.min(bytes, memory.capacity()));
  }

  /** Returns whether the chunk went into the drain with this state word. */
  boolean isOf(final long published) {
    return ChunkStateDescriptor.slot(word) == ChunkStateDescriptor.slot(published)
        && generation == ChunkStateDescriptor.generation(published);
  }

  @Override
  void copyOut() throws IOException {
    final ChunkReader reader = context.reading().reader();
    if (adopted) {
      if (memory.getInt(ChunkDescriptor.USED_OFFSET) == 0) {
        return;
      }
      reader.wrapOpen(memory, context.reading().sessionId()).seal(memory);
      use(reader.used());
    } else {
      reader.wrap(memory, used, context.reading().sessionId());
    }
    if (used > ChunkDescriptor.HEADER_LENGTH
        && memory.getInt(ChunkDescriptor.SLOT_OFFSET) != slot) {
      throw damage(ChunkDescriptor.SLOT_OFFSET, "slot %d published it".formatted(slot));
    }
    copyRecords(reader);
    checksum();
  }

  private void copyRecords(final ChunkReader reader) throws IOException {
    final Lane lane = context.inFlight().lane(Lane.Role.VALIDATE);
    Image last = null;
    while (reader.next()) {
      final Image image = context.reading().grants().find(slot, reader.imageId());
      if (image == null) {
        final String reason = "slot %d may not write image %d".formatted(slot, reader.imageId());
        throw damage(reader.position(), reason);
      }
      if (image != last) {
        lane.image(image.id());
        Fault.strike(FaultPoint.VALIDATE);
        last = image;
      }
      add(image);
      if (reader.type() == RecordDescriptor.TYPE_WRITE) {
        image.addLogged(reader.length());
      }
    }
  }

  /**
   * Takes the checksum before the chunk waits for others to be written with. A process that changes
   * a chunk it has published makes the crc wrong, and a restore then names the chunk as damaged.
   * Such a chunk holds records of images that its own slot was granted, and of no others.
   */
  private void checksum() {
    if (context.sink().keepsRecords()) {
      final int header = ChunkDescriptor.HEADER_LENGTH;
      crc = Crc32c.of(memory, header, used - header);
    }
  }

  private DamagedException damage(final int offset, final String reason) {
    return new DamagedException("chunk " + index, offset, reason);
  }

  @Override
  void released(final ChunkLocation location) {
    final ChunkLocation at = location == null ? ChunkLocation.NONE : location;
    context.journal().write(new Entry.Drained(index, generation, at, shares(location)));
    if (!context.segment().chunkPool().release(index, word)) {
      Warnings.warn("slot %d overwrote the state of its chunk %d".formatted(slot, index));
    }
    context.underWay().compareAndSet(index, this, null);
    context.inFlight().lane(Lane.Role.WRITE).passed(Subject.CHUNK, id());
    context.inFlight().progress();
    context.statistics().count(Occurrence.DRAINED_BYTES, Math.min(used, memory.capacity()));
  }

  /**
   * Returns the images whose logs refer to the chunk now. A later use of the chunk has none of the
   * marks.
   */
  private List<Entry.ImageSize> shares(final ChunkLocation location) {
    final Map<Integer, Entry.ImageSize> shares = new LinkedHashMap<>();
    Image last = null;
    for (int i = 0; i < extents.count(); i++) {
      final Image image = extents.image(i);
      if (image != last) {
        image.log().unmark(index);
        if (location != null && !image.log().drainsToFile()) {
          shares.put(image.id(), new Entry.ImageSize(image.id(), image.log().size()));
        }
      }
      last = image;
    }
    return List.copyOf(shares.values());
  }

  @Override
  public boolean isHeld(final Lane.Role role) {
    return role == Lane.Role.WRITE;
  }
}
