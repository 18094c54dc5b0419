package org.sluice.core.posix;

import java.lang.foreign.Arena;
import org.sluice.core.libc.NativeStruct;

/** Pieces of memory to be written one behind the other ({@code struct iovec}). Not thread-safe. */
public final class IoVector {
  private static final int ADDRESS_OFFSET = 0;
  private static final int LENGTH_OFFSET = 8;
  private static final int VECTOR_LENGTH = 16;

  /** A receiver of pieces of memory. */
  @FunctionalInterface
  public interface Piece {
    void take(long address, long bytes);
  }

  private final NativeStruct vectors;
  private int first;
  private int end;
  private long length;

  /**
   * @param most the most pieces, 1 to 1024
   */
  public IoVector(final int most) {
    vectors = new NativeStruct(Arena.ofAuto(), most * VECTOR_LENGTH);
  }

  /**
   * @throws IndexOutOfBoundsException when there are too many
   */
  public void add(final long address, final long bytes) {
    vectors.putLong(end * VECTOR_LENGTH + ADDRESS_OFFSET, address);
    vectors.putLong(end * VECTOR_LENGTH + LENGTH_OFFSET, bytes);
    end++;
    length += bytes;
  }

  /** The bytes of all pieces. */
  public long length() {
    return length;
  }

  /** Tells whether there is no room for another piece. */
  public boolean isFull() {
    return (end + 1) * VECTOR_LENGTH > vectors.length();
  }

  public void clear() {
    first = 0;
    end = 0;
    length = 0;
  }

  /** Tells a receiver of all pieces in turn. */
  public void forEach(final Piece receiver) {
    for (int i = first; i < end; i++) {
      receiver.take(
          vectors.getLong(i * VECTOR_LENGTH + ADDRESS_OFFSET),
          vectors.getLong(i * VECTOR_LENGTH + LENGTH_OFFSET));
    }
  }

  long address() {
    return vectors.address() + first * VECTOR_LENGTH;
  }

  /** The address of the first piece. */
  long firstAddress() {
    return get(ADDRESS_OFFSET);
  }

  long firstLength() {
    return get(LENGTH_OFFSET);
  }

  int count() {
    return end - first;
  }

  /** Removes the bytes that were written. */
  void written(final long bytes) {
    length -= bytes;
    long rest = bytes;
    while (first < end && rest >= get(LENGTH_OFFSET)) {
      rest -= get(LENGTH_OFFSET);
      first++;
    }
    if (rest > 0) {
      vectors.putLong(first * VECTOR_LENGTH + ADDRESS_OFFSET, get(ADDRESS_OFFSET) + rest);
      vectors.putLong(first * VECTOR_LENGTH + LENGTH_OFFSET, get(LENGTH_OFFSET) - rest);
    }
  }

  private long get(final int field) {
    return vectors.getLong(first * VECTOR_LENGTH + field);
  }
}
