package org.sluice.core.posix;

import java.lang.foreign.Arena;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;

/**
 * The kernel's random numbers, of getrandom(2): ids that no other process makes too, on whatever
 * node. Java's own would load all its security providers first, when each command starts. Any
 * thread.
 */
public final class Entropy {
  private Entropy() {}

  /**
   * Returns 64 random bits.
   *
   * @throws IllegalStateException when the kernel gives none: before Linux 3.17, or where a sandbox
   *     forbids the call
   */
  public static long nextLong() {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct bits = new NativeStruct(arena, Long.BYTES);
      final long count = LibC.GETRANDOM.call(bits.address(), bits.length(), 0);
      if (count != bits.length()) {
        throw new IllegalStateException("getrandom: " + Errno.describe((int) -count));
      }
      return bits.getLong(0);
    }
  }
}
