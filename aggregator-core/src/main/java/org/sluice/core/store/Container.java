package org.sluice.core.store;

import java.io.IOException;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A data file that takes chunks as they lie in memory, one after the other. One thread places and
 * writes; any may {@link #sync()}.
 */
public interface Container extends AutoCloseable {
  /** How many chunks may be placed before they are written. */
  int MOST_PLACED = 64;

  /**
   * Its id, unique among all containers.
   *
   * @return not 0
   */
  long id();

  /**
   * Gives a chunk its place behind the others. Fills in the fields of the chunk's header that
   * belong to the I/O process, and zeroes the chunk behind {@code used} up to the next multiple of
   * 4096. Nobody else may change the chunk until it is written.
   *
   * @param chunk memory outside the heap, at a multiple of 4096
   * @param used the chunk's used length, its header included, checked by the caller
   * @param crc the crc of its records, as they were when the caller checked them
   * @return where it will be; not durable before {@link #sync()}
   * @throws IndexOutOfBoundsException when {@link #MOST_PLACED} are waiting to be written
   */
  ChunkLocation place(UnsafeBuffer chunk, int used, int crc);

  /**
   * Writes what was placed, in one large write.
   *
   * @throws IOException when that fails; the next chunks take the places of these
   */
  void write() throws IOException;

  /**
   * Brings everything appended to stable storage.
   *
   * @throws IOException when that fails
   */
  void sync() throws IOException;

  /**
   * Whether a sync has failed, so that chunks of it may be lost. Any thread.
   *
   * @return true for ever, once one has
   */
  boolean isLost();

  @Override
  void close() throws IOException;
}
