package org.sluice.core.chunk;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;

/** CRC-32C (Castagnoli) of memory, the checksum of every format here. Thread-safe. */
public final class Crc32c {
  private Crc32c() {}

  /**
   * The crc of memory.
   *
   * @param address where it begins
   * @param length its bytes, less than 2 GiB
   * @return its crc
   */
  @SuppressWarnings("restricted")
  public static int of(final long address, final long length) {
    final CRC32C crc = new CRC32C();
    crc.update(MemorySegment.ofAddress(address).reinterpret(length).asByteBuffer());
    return (int) crc.getValue();
  }

  /**
   * The crc of a part of a buffer outside the heap.
   *
   * @param buffer where the bytes are
   * @param offset where the part begins in it
   * @param length bytes of the part
   * @return its crc
   */
  public static int of(final DirectBuffer buffer, final int offset, final int length) {
    buffer.boundsCheck(offset, length);
    return of(buffer.addressOffset() + offset, length);
  }
}
