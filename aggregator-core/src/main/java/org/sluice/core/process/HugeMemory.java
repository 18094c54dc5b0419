package org.sluice.core.process;

import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;

/**
 * Memory outside the heap that grows on demand, in huge pages where the kernel has them. A read
 * past the page cache into small pages is a request of as many pieces, for which some disks take
 * more than twice as long. Not thread-safe.
 */
public final class HugeMemory implements AutoCloseable {
  private static final long PAGE = 2 << 20;

  private long mapping;
  private long mapped;
  private long address;
  private long size;

  /**
   * Makes sure of enough memory. If there was less, its contents are lost.
   *
   * @param length bytes, 1 or more
   * @return their address, a multiple of 4096; valid until the next call
   */
  public long atLeast(final long length) throws PosixException {
    if (size < length) {
      close();
      final long pages = roundUp(length);
      map(pages + PAGE);
      address = roundUp(mapping);
      size = pages;
      MappedMemory.preferHugePages(address, size);
    }
    return address;
  }

  public long size() {
    return size;
  }

  private static long roundUp(final long length) {
    return (length + PAGE - 1) / PAGE * PAGE;
  }

  private void map(final long length) throws PosixException {
    mapping =
        LibC.check(
            LibC.MMAP.call(
                0,
                length,
                LibC.PROT_READ | LibC.PROT_WRITE,
                LibC.MAP_PRIVATE | LibC.MAP_ANONYMOUS,
                -1,
                0),
            "get memory");
    mapped = length;
  }

  @Override
  public void close() {
    if (mapped > 0) {
      LibC.MUNMAP.call(mapping, mapped);
      mapped = 0;
      size = 0;
    }
  }
}
