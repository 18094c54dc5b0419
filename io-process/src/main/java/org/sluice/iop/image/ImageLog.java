package org.sluice.iop.image;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.iop.journal.Cause;
import org.sluice.iop.journal.Entry;

/**
 * The drain's view of an image: the places of its logged bytes and its size. The write stage alone
 * uses it.
 */
public final class ImageLog {
  private final List<ChunkLocation> chunks = new ArrayList<>(1);

  /**
   * The extents of undrained chunks that were applied, by chunk. The marks outlive a restart of the
   * log.
   */
  private Map<Integer, Entry.Mark> marks = Map.of();

  private DrainedBlocks drained = new DrainedBlocks();

  private boolean toFile;
  private boolean direct;
  private boolean touched;
  private long size;

  ImageLog(final boolean toFile, final boolean direct) {
    this.toFile = toFile;
    this.direct = direct;
  }

  public boolean drainsToFile() {
    return toFile;
  }

  /** Returns what is known of the bytes that the drain wrote to the image's own file. */
  public DrainedBlocks drained() {
    return drained;
  }

  /** Gives that to a commit, and begins anew. */
  DrainedBlocks takeDrained() {
    final DrainedBlocks taken = drained;
    drained = new DrainedBlocks();
    return taken;
  }

  /** Returns the logical size in bytes, according to the records drained so far. */
  public long size() {
    return size;
  }

  /**
   * Returns a copy, in program order, of the chunks with records that the image's own file does not
   * hold.
   */
  public List<ChunkLocation> chunks() {
    return List.copyOf(chunks);
  }

  /**
   * Returns whether the image became direct and was not logged again since. A decision to log it
   * again may be under way.
   */
  public boolean isDirect() {
    return direct;
  }

  /** Returns whether the drain may have written to the image's own file, ever. */
  public boolean isInOwnFile() {
    return touched || toFile || direct;
  }

  boolean isTouched() {
    return touched;
  }

  /** Begins anew with the bytes of the image's own file. */
  public void apply(final Entry.Restarted e) {
    chunks.clear();
    touched |= e.cause() != Cause.EMPTIED;
    toFile = e.inPlace();
    size = e.size();
    drained = e.cause() == Cause.DIRECT ? drained : new DrainedBlocks();
    direct = e.cause() == Cause.DIRECT || direct && e.cause() != Cause.DIVERTED;
    e.marks().forEach(mark -> mark(mark.chunk(), mark.generation(), mark.end()));
  }

  /** Applies a chunk that a former I/O process drained. */
  void apply(final Entry.Drained e, final Entry.ImageSize share) {
    if (e.location().container() != 0) {
      add(e.location());
      size = share.size();
    }
  }

  void apply(final Entry.Known e) {
    touched = e.touched();
    direct = e.direct();
    toFile = e.inPlace();
    size = e.size();
    chunks.addAll(e.chunks());
    e.marks().forEach(this::mark);
  }

  List<Entry.Mark> marks() {
    return List.copyOf(marks.values());
  }

  /** Takes the size of the image's own file, where no entry tells which bytes went there. */
  public void resume(final long fileSize) {
    size = toFile ? fileSize : size;
  }

  /** Notes that a chunk in a container has records of the image. A repetition does nothing. */
  public void add(final ChunkLocation location) {
    if (chunks.isEmpty() || !chunks.getLast().equals(location)) {
      chunks.add(location);
    }
  }

  /** Returns the containers that bytes of the image are in. */
  public Set<Long> containers() {
    return chunks.stream().map(ChunkLocation::container).collect(Collectors.toSet());
  }

  /** Applies a record's effect on the size. */
  public void follow(final int type, final long offset, final long length) {
    size = type == RecordDescriptor.TYPE_TRUNCATE ? offset : Math.max(size, offset + length);
  }

  /**
   * Marks the part of a chunk that was applied to the image's own file before the chunk was
   * drained; never less than before.
   *
   * @param position end of the last payload byte that was applied
   */
  public void mark(final int chunk, final int generation, final int position) {
    final int end = Math.max(position, markOf(chunk, generation));
    mark(new Entry.Mark(chunk, generation, end));
  }

  private void mark(final Entry.Mark mark) {
    marks = marks.isEmpty() ? new TreeMap<>() : marks;
    marks.put(mark.chunk(), mark);
  }

  /** Removes the mark of {@link #mark}, since the chunk is drained. */
  public void unmark(final int chunk) {
    if (marks.containsKey(chunk)) {
      marks.remove(chunk);
      marks = marks.isEmpty() ? Map.of() : marks;
    }
  }

  /** Returns the position given to {@link #mark}, 0 without one. */
  public int markOf(final int chunk, final int generation) {
    final Entry.Mark mark = marks.get(chunk);
    return mark != null && mark.generation() == generation ? mark.end() : 0;
  }
}
