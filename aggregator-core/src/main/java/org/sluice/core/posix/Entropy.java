package org.sluice.core.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;

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
      final MemorySegment bits = arena.allocate(ValueLayout.JAVA_LONG);
      final long count = LibC.GETRANDOM.call(bits.address(), bits.byteSize(), 0);
      if (count != bits.byteSize()) {
        throw new IllegalStateException("getrandom: " + Errno.describe((int) -count));
      }
      return bits.get(ValueLayout.JAVA_LONG, 0);
    }
  }
}
