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
 * What the drain knows of an image: where its logged bytes are and how long it is. The write stage
 * alone uses it.
 */
public final class ImageLog {
  private final List<ChunkLocation> chunks = new ArrayList<>(1);

  /** What was applied of undrained chunks, by chunk. The marks outlive a restart of the log. */
  private Map<Integer, Entry.Mark> marks = Map.of();

  private boolean toFile;
  private boolean direct;
  private boolean touched;
  private long size;

  ImageLog(final boolean toFile, final boolean direct) {
    this.toFile = toFile;
    this.direct = direct;
  }

  /**
   * Whether drained extents go to the image's own file.
   *
   * @return false while they stay in containers
   */
  public boolean drainsToFile() {
    return toFile;
  }

  /**
   * The logical size according to the records drained so far.
   *
   * @return bytes
   */
  public long size() {
    return size;
  }

  /**
   * The chunks with records that the image's own file does not hold.
   *
   * @return in program order; a copy
   */
  public List<ChunkLocation> chunks() {
    return List.copyOf(chunks);
  }

  /**
   * Whether the image became direct and was not logged again since. It may have been decided
   * already that it is to.
   *
   * @return false at first, unless it is admitted as direct
   */
  public boolean isDirect() {
    return direct;
  }

  /**
   * Whether the drain may have written to the image's own file, ever.
   *
   * @return false while all that was drained of it is in containers
   */
  public boolean isInOwnFile() {
    return touched || toFile || direct;
  }

  boolean isTouched() {
    return touched;
  }

  /**
   * Begins anew with what the image's own file holds.
   *
   * @param e why and how
   */
  public void apply(final Entry.Restarted e) {
    chunks.clear();
    touched |= e.cause() != Cause.EMPTIED;
    toFile = e.inPlace();
    size = e.size();
    direct = e.cause() == Cause.DIRECT || direct && e.cause() != Cause.DIVERTED;
    e.marks().forEach(mark -> mark(mark.chunk(), mark.generation(), mark.end()));
  }

  /** A chunk of a former I/O process was drained. */
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

  /**
   * Takes the size of the image's own file, where no entry tells what went there.
   *
   * @param fileSize bytes
   */
  public void resume(final long fileSize) {
    size = toFile ? fileSize : size;
  }

  /**
   * Notes that a chunk in a container has records of the image. Repeating it does nothing.
   *
   * @param location where the chunk is
   */
  public void add(final ChunkLocation location) {
    if (chunks.isEmpty() || !chunks.getLast().equals(location)) {
      chunks.add(location);
    }
  }

  /**
   * The containers that bytes of the image are in.
   *
   * @return their ids
   */
  public Set<Long> containers() {
    return chunks.stream().map(ChunkLocation::container).collect(Collectors.toSet());
  }

  /**
   * Follows a record's effect on the size.
   *
   * @param type the record's type
   * @param offset where in the image it begins, bytes
   * @param length bytes of the image that it is about
   */
  public void follow(final int type, final long offset, final long length) {
    size = type == RecordDescriptor.TYPE_TRUNCATE ? offset : Math.max(size, offset + length);
  }

  /**
   * Remembers how much of a chunk was applied to the image's own file before the chunk was drained;
   * never less than before.
   *
   * @param chunk the chunk's index
   * @param generation tells its uses apart
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

  /**
   * Forgets what {@link #mark} noted, since the chunk is drained.
   *
   * @param chunk the chunk's index
   */
  public void unmark(final int chunk) {
    if (marks.containsKey(chunk)) {
      marks.remove(chunk);
      marks = marks.isEmpty() ? Map.of() : marks;
    }
  }

  /**
   * How much of a chunk was applied before it was drained.
   *
   * @param chunk the chunk's index
   * @param generation tells its uses apart
   * @return the position given to {@link #mark}, 0 without one
   */
  public int markOf(final int chunk, final int generation) {
    final Entry.Mark mark = marks.get(chunk);
    return mark != null && mark.generation() == generation ? mark.end() : 0;
  }
}
