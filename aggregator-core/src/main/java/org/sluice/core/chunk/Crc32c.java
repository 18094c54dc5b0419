package org.sluice.core.chunk;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;

/** CRC-32C (Castagnoli) of memory, the checksum of every format here. Thread-safe. */
public final class Crc32c {
  private Crc32c() {}

  /**
   * @param length its bytes, less than 2 GiB
   */
  public static int of(final long address, final long length) {
    final CRC32C crc = new CRC32C();
    update(crc, address, length);
    return (int) crc.getValue();
  }

  /**
   * Takes memory into a checksum.
   *
   * @param length its bytes, less than 2 GiB
   */
  @SuppressWarnings("restricted")
  public static void update(final CRC32C crc, final long address, final long length) {
    crc.update(MemorySegment.ofAddress(address).reinterpret(length).asByteBuffer());
  }

  /** The crc of the remaining bytes of a buffer. */
  public static int of(final ByteBuffer buffer) {
    final CRC32C crc = new CRC32C();
    crc.update(buffer);
    return (int) crc.getValue();
  }

  /** The crc of a part of a buffer outside the heap. */
  public static int of(final DirectBuffer buffer, final int offset, final int length) {
    buffer.boundsCheck(offset, length);
    return of(buffer.addressOffset() + offset, length);
  }
}
