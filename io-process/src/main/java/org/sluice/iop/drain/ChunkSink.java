package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.iop.image.Image;

/** The destination of drained chunks. Write stage only, except where a method names another. */
interface ChunkSink extends WriteBatch {
  /**
   * The I/O process's view of an open chunk, which its owner may still append to.
   *
   * @param end end of the last record that was seen
   */
  record Peek(ChunkReader reader, UnsafeBuffer memory, int index, int generation, int end) {}

  /** Returns whether chunks are stored as they lie, so that they need checksums. Any thread. */
  boolean keepsRecords();

  /**
   * Writes a chunk, by the next {@link #flush()} at the latest. When that fails, the images whose
   * bytes are lost fail. Releases it once its memory is not needed any more.
   */
  void drain(ChunkWork chunk);

  /** Writes the chunks that wait for others, and waits for the ends of all writes. */
  default void flush() {
    flush(() -> false);
  }

  /**
   * Brings an image to stable storage after its chunks, if that can be begun before the last stage
   * comes to it. Otherwise it does nothing.
   *
   * @throws IOException when its file cannot be opened
   */
  default void sync(final SyncWork sync) throws IOException {}

  /**
   * Makes an image's own file hold everything drained so far, and the bytes in undrained chunks.
   *
   * @param peeks views of chunks whose owners may still append to them, in program order
   */
  void settle(Image image, List<Peek> peeks) throws IOException;
}
