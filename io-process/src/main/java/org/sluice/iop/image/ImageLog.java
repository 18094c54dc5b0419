package org.sluice.iop.image;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.store.ChunkLocation;
import org.sluice.iop.journal.ImageFacts;

/**
 * What the drain knows of an image: where its logged bytes are and how long it is. The write stage
 * alone uses it.
 */
public final class ImageLog {
  private final List<ChunkLocation> chunks = new ArrayList<>();

  /** By chunk. They outlive a restart: the chunk is drained some day all the same. */
  private final Map<Integer, Mark> marks = new HashMap<>(2);

  private boolean inPlace;
  private long size;

  /** How much of one use of a chunk was applied before it was drained. */
  private record Mark(int generation, int position) {}

  ImageLog(final boolean inPlace) {
    this.inPlace = inPlace;
  }

  /**
   * Whether drained extents go to the image's own file.
   *
   * @return false while they stay in containers
   */
  public boolean isInPlace() {
    return inPlace;
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
   * Begins anew with what the image's own file holds.
   *
   * @param extentsInPlace whether extents drained from here on go there, too
   * @param fileSize the file's size in bytes
   */
  public void restart(final boolean extentsInPlace, final long fileSize) {
    chunks.clear();
    inPlace = extentsInPlace;
    size = fileSize;
  }

  /**
   * Takes over what a former I/O process had drained.
   *
   * @param facts what is known of the image
   * @param fileSize the size of its own file in bytes
   */
  public void resume(final ImageFacts facts, final long fileSize) {
    restart(facts.isInPlace(), facts.isInPlace() ? fileSize : facts.size());
    chunks.addAll(facts.chunks());
    facts.marks().forEach(mark -> mark(mark.chunk(), mark.generation(), mark.end()));
  }

  /** Notes that the image's own file holds all that was drained so far. */
  public void settled() {
    chunks.clear();
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
   * Whether bytes of the image are in a container.
   *
   * @param container the container's id
   * @return false once none of its chunks is needed
   */
  public boolean refersTo(final long container) {
    return chunks.stream().anyMatch(chunk -> chunk.container() == container);
  }

  /**
   * Follows a record's effect on the size.
   *
   * @param type the record's type
   * @param offset its offset
   * @param length its length
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
    marks.put(chunk, new Mark(generation, Math.max(position, markOf(chunk, generation))));
  }

  /**
   * Forgets what {@link #mark} noted, since the chunk is drained.
   *
   * @param chunk the chunk's index
   */
  public void unmark(final int chunk) {
    marks.remove(chunk);
  }

  /**
   * How much of a chunk was applied before it was drained.
   *
   * @param chunk the chunk's index
   * @param generation tells its uses apart
   * @return the position given to {@link #mark}, 0 without one
   */
  public int markOf(final int chunk, final int generation) {
    final Mark mark = marks.get(chunk);
    return mark != null && mark.generation == generation ? mark.position : 0;
  }
}
