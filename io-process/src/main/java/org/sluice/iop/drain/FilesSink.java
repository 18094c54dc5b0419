package org.sluice.iop.drain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.store.disk.WriteMode;
import org.sluice.core.store.disk.WritesInFlight;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Timed;

/**
 * A sink of the images' own files, which get every drained extent. Where several writes are under
 * way at a time, chunks wait for others, whose extents may go to other files.
 */
final class FilesSink implements ChunkSink {
  /** The part of the buffer that may wait to be written, and so is kept from the ranks. */
  private static final int GATHERED_PART = 4;

  private final Statistics statistics;
  private final InFlight inFlight;
  private final Lane lane;
  private final Supplier<WriteMode> mode;
  private final InPlaceWriter inPlace;

  private final WritesInFlight flight;
  private final long mostGathered;

  /** The chunks whose extents may not be written yet. */
  private final List<ChunkWork> gathered = new ArrayList<>();

  /** The syncs that are to begin after those chunks. */
  private final List<SyncWork> syncs = new ArrayList<>();

  /**
   * @param bufferLength bytes of all chunks together
   * @param mode way in which the images' files are written to
   */
  FilesSink(
      final Statistics statistics,
      final InFlight inFlight,
      final WritesInFlight flight,
      final long bufferLength,
      final Supplier<WriteMode> mode) {
    this.statistics = statistics;
    this.inFlight = inFlight;
    this.lane = inFlight.lane(Lane.Role.WRITE);
    this.mode = mode;
    this.flight = flight;
    this.mostGathered = bufferLength / GATHERED_PART;
    this.inPlace = new InPlaceWriter(lane, flight, mode);
  }

  @Override
  public boolean keepsRecords() {
    return false;
  }

  @Override
  public void drain(final ChunkWork chunk) {
    final long began = System.nanoTime();
    inPlace.write(chunk.extents, chunk.memory, chunk.index, chunk.generation);
    gathered.add(chunk);
    if (isFull()) {
      flush();
    }
    statistics.took(Timed.DRAIN_WRITE, began);
  }

  /**
   * Returns whether no more chunks are gathered. Where a former I/O process failed they go one by
   * one, to find the faulty one.
   */
  private boolean isFull() {
    return mode.get().inFlight() == 1
        || inFlight.hasSuspects() && inFlight.suspectsChunks()
        || gathered.stream().mapToLong(chunk -> chunk.used).sum()
            >= Math.max(mostGathered, mode.get().gathered());
  }

  @Override
  public void flush(final BooleanSupplier more) {
    if (!gathered.isEmpty()) {
      inPlace.flush();
      gathered.forEach(chunk -> chunk.release(null));
      gathered.clear();
    }
    syncs.forEach(sync -> sync.begin(flight));
    syncs.clear();
  }

  /**
   * Begins a sync beside others, where several writes are under way at a time. A sync begins after
   * the chunks before it, which may be written together with those of other images. A local disk
   * only starts to write: begun one after another, each sync would cost it a transaction.
   */
  @Override
  public void sync(final SyncWork sync) throws IOException {
    if (takesOthers() || !gathered.isEmpty()) {
      syncs.add(sync);
    } else {
      sync.startWriting();
    }
  }

  @Override
  public boolean takesOthers() {
    return mode.get().inFlight() > 1;
  }

  @Override
  public boolean isHolding() {
    return !gathered.isEmpty() || !syncs.isEmpty();
  }

  /**
   * Makes the image's own file hold everything. Bytes applied before are not applied again: others
   * may have written over them since.
   */
  @Override
  public void settle(final Image image, final List<Peek> peeks) throws IOException {
    final ExtentTable extents = new ExtentTable();
    for (final Peek chunk : peeks) {
      final ChunkReader reader = chunk.reader();
      extents.clear();
      reader.rewind();
      while (reader.next()) {
        if (reader.imageId() == image.id()) {
          extents.add(image, reader);
        }
      }
      inPlace.write(extents, chunk.memory(), chunk.index(), chunk.generation());
      inPlace.flush();
    }
  }
}
