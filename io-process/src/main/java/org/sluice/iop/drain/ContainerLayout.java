package org.sluice.iop.drain;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.PosixException;
import org.sluice.core.store.ChunkLocation;
import org.sluice.core.store.Container;
import org.sluice.core.store.ImageOverlay;
import org.sluice.core.store.PosixStore;
import org.sluice.core.store.WritesInFlight;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Timed;

/**
 * Chunks go to containers as they lie in memory, several in one write if several are there. Only
 * images that have become direct get their extents in place.
 */
final class ContainerLayout implements Layout {
  /** What waits to be written is kept from the ranks: no more than this part of the buffer. */
  private static final int GATHERED_PART = 8;

  private final Statistics statistics;
  private final PosixStore store;
  private final long sessionId;
  private final InFlight inFlight;
  private final Lane lane;
  private final InPlaceWriter inPlace;

  private final SessionContainers containers;
  private final WritesInFlight flight;
  private final long mostGathered;
  private final List<Placed> placed = new ArrayList<>();

  /** The container that the placed chunks go to. */
  private Container container;

  /** A chunk whose write waits for others. */
  private record Placed(ChunkWork chunk, ChunkLocation location) {}

  /**
   * A layout that has written nothing.
   *
   * @param containers of the session
   * @param flight does its writes
   * @param bufferLength bytes of all chunks together
   * @param statistics times writes
   * @param inFlight says what is written
   */
  ContainerLayout(
      final PosixStore store,
      final long sessionId,
      final SessionContainers containers,
      final WritesInFlight flight,
      final long bufferLength,
      final Statistics statistics,
      final InFlight inFlight) {
    this.inFlight = inFlight;
    this.lane = inFlight.lane(Lane.Role.WRITE);
    this.flight = flight;
    this.inPlace = new InPlaceWriter(lane, flight, store.profile()::mode);
    this.mostGathered = bufferLength / GATHERED_PART;
    this.statistics = statistics;
    this.store = store;
    this.sessionId = sessionId;
    this.containers = containers;
  }

  @Override
  public boolean isInPlace() {
    return false;
  }

  @Override
  public void drain(final ChunkWork chunk) {
    final ExtentTable extents = chunk.extents;
    boolean logged = false;
    boolean direct = false;
    for (int i = 0; i < extents.count(); i++) {
      final boolean here = extents.image(i).log().isInPlace();
      direct |= here;
      logged |= !here;
    }
    if (direct) {
      inPlace.write(extents, chunk.memory, chunk.index, chunk.generation);
      inPlace.flush();
    }
    if (logged) {
      place(chunk);
    } else {
      chunk.release(null);
    }
  }

  private void place(final ChunkWork chunk) {
    try {
      final Container next = containers.next(chunk.used);
      if (next != container || isFull()) {
        flush();
        chunk.begin(lane);
      }
      container = next;
      placed.add(new Placed(chunk, container.place(chunk.memory, chunk.used, chunk.crc)));
    } catch (final IOException e) {
      fail(chunk, e);
      chunk.release(null);
    }
  }

  /** Where a former I/O process failed they go one by one, to see at which. */
  private boolean isFull() {
    return placed.size()
            == (inFlight.hasSuspects() && inFlight.suspectsChunks() ? 1 : Container.MOST_PLACED)
        || placed.stream().mapToLong(other -> other.chunk.used).sum()
            >= Math.min(mostGathered, container.mode().gathered());
  }

  @Override
  public void flush() {
    if (placed.isEmpty()) {
      return;
    }
    placed.getFirst().chunk.begin(lane);
    try {
      final long began = System.nanoTime();
      container.write(flight);
      statistics.took(Timed.DRAIN_WRITE, began);
      placed.forEach(one -> one.chunk.release(log(one.chunk, one.location)));
    } catch (final IOException e) {
      placed.forEach(one -> one.chunk.release(writeAlone(one.chunk)));
    }
    placed.clear();
  }

  /** Writes one chunk alone, so that only the images fail whose bytes are lost. */
  private ChunkLocation writeAlone(final ChunkWork chunk) {
    try {
      final ChunkLocation location = container.place(chunk.memory, chunk.used, chunk.crc);
      container.write(flight);
      return log(chunk, location);
    } catch (final IOException e) {
      fail(chunk, e);
      return null;
    }
  }

  private ChunkLocation log(final ChunkWork chunk, final ChunkLocation location) {
    final ExtentTable extents = chunk.extents;
    Image last = null;
    for (int i = 0; i < extents.count(); i++) {
      final Image image = extents.image(i);
      if (!image.log().isInPlace()) {
        if (image != last) {
          lane.image(image.id());
          Fault.strike(FaultPoint.WRITE);
          image.log().add(location);
          containers.usedBy(container, image);
          last = image;
        }
        image.log().follow(extents.type(i), extents.offset(i), extents.length(i));
      }
    }
    return location;
  }

  private static void fail(final ChunkWork chunk, final IOException failure) {
    final ExtentTable extents = chunk.extents;
    for (int i = 0; i < extents.count(); i++) {
      if (!extents.image(i).log().isInPlace()) {
        extents.image(i).fail(failure);
      }
    }
  }

  /**
   * The file's time of modification stays: its writers see to that when they close it, and to a
   * program that only reads it, it does not change.
   */
  @Override
  public void settle(final Image image, final List<Peek> peeks) throws IOException {
    final Instant modified = image.file().modified();
    final ImageOverlay overlay =
        new ImageOverlay(image.id(), image.log().size(), image.file()::pwrite);
    for (final Peek chunk : peeks.reversed()) {
      overlay.addOlder(chunk.reader());
    }
    store.overlay(sessionId, image.log().chunks(), overlay);
    restore(image, modified);
  }

  private static void restore(final Image image, final Instant modified) throws IOException {
    if (!image.file().modified().equals(modified)) {
      try {
        image.file().modified(modified);
      } catch (final PosixException anotherUsersFile) {
        return; // it counts as written to now, and has all its bytes
      }
    }
  }
}
