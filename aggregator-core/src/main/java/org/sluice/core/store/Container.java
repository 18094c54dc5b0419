package org.sluice.core.store;

import java.io.IOException;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A data file that takes chunks as they lie in memory, one after the other. One thread appends; any
 * may {@link #sync()}.
 */
public interface Container extends AutoCloseable {
  /**
   * Its id, unique among all containers.
   *
   * @return not 0
   */
  long id();

  /**
   * Writes a chunk. Fills in the fields of the chunk's header that belong to the I/O process, and
   * zeroes the chunk behind {@code used} up to the next multiple of 4096.
   *
   * @param chunk memory outside the heap, at a multiple of 4096
   * @param used the chunk's used length, its header included, checked by the caller
   * @param crc the crc of its records, as they were when the caller checked them
   * @return where it is now; not durable before {@link #sync()}
   * @throws IOException when that fails; the next chunk takes its place
   */
  ChunkLocation append(UnsafeBuffer chunk, int used, int crc) throws IOException;

  /**
   * Brings everything appended to stable storage.
   *
   * @throws IOException when that fails
   */
  void sync() throws IOException;

  @Override
  void close() throws IOException;
}
