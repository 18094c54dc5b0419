package org.sluice.iop.drain;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.IoVector;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.disk.WriteMode;
import org.sluice.core.store.disk.WritesInFlight;
import org.sluice.core.store.model.Block;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.image.DrainedBlocks;
import org.sluice.iop.image.Image;

/**
 * A writer of extents into the images' own files, straight from the chunks. Extents that continue
 * each other cost one system call. As many such runs are gathered as may be under way at a time. No
 * run overlaps another, so they may be written in any order. Write stage only.
 */
final class InPlaceWriter {
  private static final int MOST_PIECES = 1024;

  /**
   * The length from which bytes are written past the page cache, so that the disk need not wait for
   * a sync.
   */
  private static final int PAST_CACHE_LENGTH = 256 * 1024;

  private final Lane lane;
  private final WritesInFlight flight;
  private final Supplier<WriteMode> mode;

  /** The runs: first the used ones, then others kept for later. */
  private final List<Run> runs = new ArrayList<>();

  private int used;

  /** A run of extents not yet written that continue each other. */
  private static final class Run {
    private final IoVector pieces = new IoVector(MOST_PIECES);
    private Image image;
    private long offset;

    /** The checksums of what went past the page cache. */
    private List<Block> checksums = List.of();

    private long end() {
      return offset + pieces.length();
    }

    private boolean isContinuedBy(final Image owner, final long from) {
      return owner == image && from == end() && !pieces.isFull();
    }

    private boolean overlaps(final Image owner, final long from, final long to) {
      return owner == image && from < end() && to > offset;
    }

    private void write(final boolean summed) throws IOException {
      if (pieces.length() < PAST_CACHE_LENGTH) {
        image.file().pwrite(pieces, offset);
      } else {
        checksums = summed ? checksums() : List.of();
        image.file().pwritePast(pieces, offset);
      }
    }

    private List<Block> checksums() {
      final RunChecksums sums = new RunChecksums(offset);
      pieces.forEach(sums::add);
      return sums.blocks();
    }

    private void clear() {
      pieces.clear();
      image = null;
      checksums = List.of();
    }
  }

  /**
   * @param mode way in which the images' files are written to
   */
  InPlaceWriter(final Lane lane, final WritesInFlight flight, final Supplier<WriteMode> mode) {
    this.lane = lane;
    this.flight = flight;
    this.mode = mode;
  }

  /**
   * Writes those extents of a chunk whose images are in place and which were not applied before, by
   * the next {@link #flush} at the latest.
   */
  void write(
      final ExtentTable extents, final UnsafeBuffer memory, final int chunk, final int generation) {
    for (int i = 0; i < extents.count(); i++) {
      final Image owner = extents.image(i);
      if (owner.log().drainsToFile()) {
        final int mark = owner.log().markOf(chunk, generation);
        if (mark == 0 || extents.payloadEnd(i) > mark) {
          apply(extents, memory, i, Math.max(0, mark - extents.payload(i)));
        }
      }
    }
  }

  private void apply(
      final ExtentTable extents, final UnsafeBuffer memory, final int i, final int applied) {
    final Image owner = extents.image(i);
    owner.log().follow(extents.type(i), extents.offset(i), extents.length(i));
    if (extents.type(i) == RecordDescriptor.TYPE_WRITE) {
      append(
          owner,
          memory.addressOffset() + extents.payload(i) + applied,
          extents.length(i) - applied,
          extents.offset(i) + applied);
    } else if (extents.type(i) == RecordDescriptor.TYPE_TRUNCATE) {
      flush();
      lane.image(owner.id());
      truncate(owner, extents.offset(i));
    }
  }

  private void append(final Image owner, final long from, final long bytes, final long to) {
    Run run = null;
    for (int i = 0; i < used; i++) {
      if (runs.get(i).isContinuedBy(owner, to)) {
        run = runs.get(i);
      } else if (runs.get(i).overlaps(owner, to, to + bytes)) {
        flush();
        run = null;
      }
    }
    owner.log().drained().overwritten(to, to + bytes);
    if (run == null) {
      run = next(owner, to);
    }
    run.pieces.add(from, bytes);
  }

  private Run next(final Image owner, final long offset) {
    if (used >= mode.get().inFlight()) {
      flush();
    }
    if (used == runs.size()) {
      runs.add(new Run());
    }
    final Run run = runs.get(used++);
    run.image = owner;
    run.offset = offset;
    lane.image(owner.id());
    return run;
  }

  /** Writes the gathered runs. An image of which a write fails, fails. */
  void flush() {
    if (used == 0) {
      return;
    }
    // a file system of other nodes would write all back when it is asked for a time
    final boolean local = mode.get().inFlight() == 1;
    final List<Run> writing = runs.subList(0, used);
    final List<Step<IOException>> writes = new ArrayList<>(used);
    for (final Run run : writing) {
      lane.image(run.image.id());
      look(run.image, DrainedBlocks::check);
      Fault.strike(FaultPoint.WRITE);
      writes.add(() -> run.write(local));
    }
    final List<IOException> failures = flight.failures(writes);
    for (int i = 0; i < failures.size(); i++) {
      final Image image = writing.get(i).image;
      if (failures.get(i) != null) {
        image.fail(failures.get(i));
        continue;
      }
      image.log().drained().add(writing.get(i).checksums);
      if (i + 1 == writing.size() || writing.get(i + 1).image != image) {
        image.held().descriptor().ifPresent(NativeFile::tellWatchers);
        look(image, DrainedBlocks::modified);
      }
    }
    writing.forEach(Run::clear);
    used = 0;
  }

  /**
   * Looks when a file was written to last, before and after the drain writes to it. A file that is
   * direct, or of which the kernel does not tell, is read when it is committed.
   */
  private static void look(final Image image, final BiConsumer<DrainedBlocks, Instant> receiver) {
    final DrainedBlocks drained = image.log().drained();
    if (drained.isEmpty()) {
      return;
    }
    try {
      if (!image.log().isDirect()) {
        receiver.accept(drained, image.held().status().modified());
        return;
      }
    } catch (final IOException e) {
      // as for a direct one
    }
    drained.overwritten(0, Long.MAX_VALUE);
  }

  private static void truncate(final Image owner, final long size) {
    try {
      owner.log().drained().overwritten(size, Long.MAX_VALUE);
      look(owner, DrainedBlocks::check);
      owner.file().truncate(size);
      look(owner, DrainedBlocks::modified);
    } catch (final IOException e) {
      owner.fail(e);
    }
  }
}
