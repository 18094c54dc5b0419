package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.sluice.core.store.ChunkLocation;
import org.sluice.core.store.Container;
import org.sluice.iop.image.Image;

/** What becomes of drained chunks. Write stage only, unless it says otherwise. */
interface Layout extends AutoCloseable {
  /** Whether the extents of diverted images go to the images' own files. */
  boolean isInPlace();

  /**
   * Writes a chunk, by the next {@link #flush} at the latest. When that fails, the images whose
   * bytes are lost fail.
   *
   * @param done called once the chunk's memory is not needed any more, with its place in a
   *     container, or null when it has none
   */
  void drain(DrainedChunk chunk, Consumer<ChunkLocation> done);

  /** Writes what waits. */
  default void flush() {}

  /** Opens what the log of an image of a former I/O process refers to. */
  default void resume(final Image image) throws IOException {}

  /**
   * Makes an image's own file hold everything drained so far, and what is in chunks that are not.
   *
   * @param open chunks whose owners may still append to them, in program order
   */
  void settle(Image image, List<OpenChunk> open) throws IOException;

  /** The containers that have bytes of an image, beside its own file. */
  default List<Container> containersOf(final Image image) {
    return List.of();
  }

  /** Fails the images that have bytes in a container of which a sync failed. Last stage only. */
  default void failLost(final IOException failure) {}

  /** Says that chunks from here on are of another checkpoint. */
  default void turn() {}

  /** Lets go of files that no image needs any more; the last stage closes them. */
  default List<Container> release() {
    return List.of();
  }

  /** Makes ready what the next chunks need, so that they need not wait for it. Last stage only. */
  default void prepare() throws IOException {}

  /** Deletes what was made ready, and all that nobody needs. Last stage only. */
  default void discardSpares() throws IOException {}

  /** Ends the session's files; nothing may be under way any more. */
  @Override
  void close() throws IOException;
}
