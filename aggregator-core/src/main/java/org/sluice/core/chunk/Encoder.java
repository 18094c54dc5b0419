package org.sluice.core.chunk;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/**
 * Bytes that are written one behind the other, outside the heap, in the formats' byte order. They
 * become as many as needed, up to 2 GiB. For one thread at a time.
 */
public final class Encoder implements AutoCloseable {
  private static final int FIRST_CAPACITY = 256;

  private ByteBuffer bytes = allocate(FIRST_CAPACITY);

  private static ByteBuffer allocate(final int capacity) {
    return ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Writes 4 bytes. */
  public Encoder writeInt(final int value) {
    room(Integer.BYTES).putInt(value);
    return this;
  }

  /** Writes 8 bytes. */
  public Encoder writeLong(final long value) {
    room(Long.BYTES).putLong(value);
    return this;
  }

  /** Writes bytes without their count. */
  public Encoder write(final byte[] value) {
    room(value.length).put(value);
    return this;
  }

  /** Writes 4 bytes over earlier ones. */
  public void overwriteInt(final int position, final int value) {
    bytes.putInt(position, value);
  }

  private ByteBuffer room(final int length) {
    if (bytes.remaining() < length) {
      final ByteBuffer old = bytes;
      final long wanted = Math.max(2L * old.capacity(), (long) old.position() + length);
      bytes = allocate((int) Math.min(wanted, Integer.MAX_VALUE));
      bytes.put(old.flip());
      BufferUtil.free(old);
    }
    return bytes;
  }

  /** Forgets all bytes. */
  public Encoder clear() {
    bytes.clear();
    return this;
  }

  /** Returns the number of bytes. */
  public int length() {
    return bytes.position();
  }

  /** Returns the address of the first byte, until the next one is written. */
  public long address() {
    return BufferUtil.address(bytes);
  }

  /** Returns the crc of the bytes from a position on. */
  public int crc(final int from) {
    return Crc32c.of(bytes.slice(from, length() - from));
  }

  /** Returns a copy of all bytes. */
  public byte[] toByteArray() {
    final byte[] copy = new byte[length()];
    bytes.get(0, copy);
    return copy;
  }

  /** Gives the memory back; nothing may be called afterwards. */
  @Override
  public void close() {
    BufferUtil.free(bytes);
  }
}
