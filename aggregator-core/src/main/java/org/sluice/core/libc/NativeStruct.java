package org.sluice.core.libc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A structure for calls of the C library, or an array of them, in memory outside the heap. Offsets
 * of its fields are in bytes, and checked. Any thread that its arena is for.
 *
 * <p>The fields are read through a buffer: a layout of java.lang.foreign takes 8 ms of processor at
 * each start before it gives its first field.
 */
public final class NativeStruct {
  private final MemorySegment memory;
  private final ByteBuffer fields;

  /** Makes one of zeros, aligned for fields of 64 bits, that lives as long as the arena. */
  public NativeStruct(final Arena arena, final long length) {
    memory = arena.allocate(length, Long.BYTES);
    fields = memory.asByteBuffer().order(ByteOrder.nativeOrder());
  }

  /** Makes a string of C from ASCII characters. */
  public static NativeStruct ofAscii(final Arena arena, final String text) {
    final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return new NativeStruct(arena, bytes.length + 1L).putBytes(0, bytes);
  }

  public long address() {
    return memory.address();
  }

  /** Returns the length in bytes. */
  public long length() {
    return memory.byteSize();
  }

  public byte getByte(final int offset) {
    return fields.get(offset);
  }

  public short getShort(final int offset) {
    return fields.getShort(offset);
  }

  public int getInt(final int offset) {
    return fields.getInt(offset);
  }

  public long getLong(final int offset) {
    return fields.getLong(offset);
  }

  /** Returns a copy of bytes. */
  public byte[] getBytes(final int offset, final int length) {
    final byte[] bytes = new byte[length];
    fields.get(offset, bytes);
    return bytes;
  }

  /** Sets a field, and returns this one, for the next field. */
  public NativeStruct putShort(final int offset, final short value) {
    fields.putShort(offset, value);
    return this;
  }

  /** Sets a field, and returns this one, for the next field. */
  public NativeStruct putInt(final int offset, final int value) {
    fields.putInt(offset, value);
    return this;
  }

  /** Sets a field, and returns this one, for the next field. */
  public NativeStruct putLong(final int offset, final long value) {
    fields.putLong(offset, value);
    return this;
  }

  /** Sets bytes, and returns this one, for the next field. */
  public NativeStruct putBytes(final int offset, final byte[] bytes) {
    fields.put(offset, bytes);
    return this;
  }
}
