package org.sluice.core.posix;

import java.lang.foreign.Arena;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.libc.PosixException;

/** The kernel's knowledge of files in memory. Thread-safe. */
public final class PageCache {
  private static final int PAGE = 4096;

  /**
   * The lengths of the request and the answer: two words tell the range, and of five words of the
   * answer the first counts pages.
   */
  private static final int RANGE_LENGTH = 2 * Long.BYTES;

  private static final int COUNTS_LENGTH = 5 * Long.BYTES;

  private PageCache() {}

  /**
   * Tells whether most of a file would be read from memory; true also when the kernel does not
   * tell, as before Linux 6.5.
   */
  public static boolean hasMostOf(final NativeFile file) throws PosixException {
    return hasMostOf(file, true);
  }

  /**
   * Tells whether most of a file would be read from memory.
   *
   * @param untold the answer when the kernel does not tell, as before Linux 6.5
   */
  public static boolean hasMostOf(final NativeFile file, final boolean untold)
      throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct range = new NativeStruct(arena, RANGE_LENGTH); // zeros: all of it
      final NativeStruct counts = new NativeStruct(arena, COUNTS_LENGTH);
      final long told =
          LibC.SYSCALL.call(
              LibC.SYS_CACHESTAT, file.descriptor, range.address(), counts.address(), 0);
      return told < 0 ? untold : counts.getLong(0) * PAGE > file.size() / 2;
    }
  }
}
