package org.sluice.core.store.objects;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A large object on its way, piece by piece. No reader sees a byte of it before all of it is there.
 * Not thread-safe.
 */
public interface Upload extends Closeable {
  /** The bytes of each piece but the last. */
  int PIECE = 8 << 20;

  /** The number of pieces of the largest object. */
  int MOST_PIECES = 10_000;

  /**
   * Sends a piece that others follow.
   *
   * @param piece {@link #PIECE} bytes from its position on; the caller may change them afterwards
   * @throws IOException when storage fails; the object never comes then
   */
  void append(ByteBuffer piece) throws IOException;

  /**
   * Sends the last piece. The object is on stable storage then.
   *
   * @param last up to {@link #PIECE} bytes
   * @throws IOException when storage fails; the object may be there, or come yet
   */
  void finish(ByteBuffer last) throws IOException;

  /** Gives the upload up unless it is finished. */
  @Override
  void close() throws IOException;
}
