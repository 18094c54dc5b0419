package org.sluice.iop.drain;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.PosixException;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.disk.WritesInFlight;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.node.ImageOverlay;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Timed;

/**
 * A sink of containers. Chunks go there as they lie in memory, several in one write if several are
 * there. Only images that have become direct get their extents in place.
 */
final class ContainerSink implements ChunkSink {
  /** The part of the buffer that may wait to be written, and so is kept from the ranks. */
  private static final int GATHERED_PART = 8;

  /** The part of the buffer that may be under way while there is more to do. */
  private static final int UNDER_WAY_PART = 4;

  /** The number of writes under way while the next one is gathered. More are no faster. */
  private static final int AHEAD = 4;

  private final Statistics statistics;
  private final PosixStore store;
  private final long sessionId;
  private final InFlight inFlight;
  private final Lane lane;
  private final InPlaceWriter inPlace;

  private final SessionContainers containers;
  private final WritesInFlight flight;
  private final long mostGathered;
  private final long mostUnderWay;
  private final List<Placed> placed = new ArrayList<>();

  /** The writes under way, the oldest first: images get their chunks in this order. */
  private final Deque<Batch> underWay = new ArrayDeque<>();

  private Container container;

  /** A chunk whose write waits for others. */
  private record Placed(ChunkWork chunk, ChunkLocation location) {}

  /**
   * The chunks of one write.
   *
   * @param began time of the start, by {@link System#nanoTime}
   */
  private record Batch(
      Container container, List<Placed> placed, Container.Started write, long began) {
    long length() {
      return placed.stream().mapToLong(one -> one.chunk.used).sum();
    }
  }

  /**
   * @param bufferLength bytes of all chunks together
   */
  ContainerSink(
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
    this.mostUnderWay = bufferLength / UNDER_WAY_PART;
    this.statistics = statistics;
    this.store = store;
    this.sessionId = sessionId;
    this.containers = containers;
  }

  @Override
  public boolean keepsRecords() {
    return true;
  }

  @Override
  public void drain(final ChunkWork chunk) {
    final ExtentTable extents = chunk.extents;
    boolean logged = false;
    boolean direct = false;
    for (int i = 0; i < extents.count(); i++) {
      final boolean here = extents.image(i).log().drainsToFile();
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
        start();
        chunk.begin(lane);
      }
      container = next;
      placed.add(new Placed(chunk, container.place(chunk.memory, chunk.used, chunk.crc)));
    } catch (final IOException e) {
      fail(chunk, e);
      chunk.release(null);
    }
  }

  /** Returns whether chunks go one by one, to find the one at which a former I/O process failed. */
  private boolean isSuspicious() {
    return inFlight.hasSuspects() && inFlight.suspectsChunks();
  }

  private boolean isFull() {
    return placed.size() == (isSuspicious() ? 1 : Container.MOST_PLACED)
        || placed.stream().mapToLong(other -> other.chunk.used).sum()
            >= Math.min(mostGathered, container.mode().gathered());
  }

  @Override
  public void flush(final BooleanSupplier more) {
    start();
    while (!underWay.isEmpty() && !more.getAsBoolean()) {
      end();
    }
  }

  private void start() {
    if (placed.isEmpty()) {
      return;
    }
    placed.getFirst().chunk.begin(lane);
    final long began = System.nanoTime();
    final Container.Started write = container.start(flight);
    underWay.add(new Batch(container, List.copyOf(placed), write, began));
    placed.clear();
    while (!underWay.isEmpty() && (isTooMuch() || underWay.getFirst().write.hasEnded())) {
      end();
    }
  }

  private boolean isTooMuch() {
    return isSuspicious()
        || underWay.size() > AHEAD
        || underWay.stream().mapToLong(Batch::length).sum() > mostUnderWay;
  }

  /** Ends the oldest write; nothing may be placed. */
  private void end() {
    final Batch batch = underWay.remove();
    batch.placed.getFirst().chunk.begin(lane);
    try {
      batch.write.await();
      statistics.took(Timed.DRAIN_WRITE, batch.began);
      batch.placed.forEach(one -> one.chunk.release(log(one, batch.container)));
    } catch (final IOException e) {
      batch.placed.forEach(one -> one.chunk.release(writeAlone(one.chunk, batch.container)));
    }
  }

  /** Writes a chunk alone, so that only the images fail whose bytes are lost. */
  private ChunkLocation writeAlone(final ChunkWork chunk, final Container container) {
    try {
      final ChunkLocation location = container.place(chunk.memory, chunk.used, chunk.crc);
      container.write(flight);
      return log(new Placed(chunk, location), container);
    } catch (final IOException e) {
      fail(chunk, e);
      return null;
    }
  }

  private ChunkLocation log(final Placed one, final Container container) {
    final ExtentTable extents = one.chunk.extents;
    Image last = null;
    for (int i = 0; i < extents.count(); i++) {
      final Image image = extents.image(i);
      if (!image.log().drainsToFile()) {
        if (image != last) {
          lane.image(image.id());
          Fault.strike(FaultPoint.WRITE);
          image.log().add(one.location);
          containers.usedBy(container, image);
          last = image;
        }
        image.log().follow(extents.type(i), extents.offset(i), extents.length(i));
      }
    }
    return one.location;
  }

  private static void fail(final ChunkWork chunk, final IOException failure) {
    final ExtentTable extents = chunk.extents;
    for (int i = 0; i < extents.count(); i++) {
      if (!extents.image(i).log().drainsToFile()) {
        extents.image(i).fail(failure);
      }
    }
  }

  /**
   * Makes the image's own file hold everything. The file's time of modification stays: its writers
   * set it when they close the file, and a program that only reads it sees no change.
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
        return; // the file counts as written to now, and has all its bytes
      }
    }
  }
}
