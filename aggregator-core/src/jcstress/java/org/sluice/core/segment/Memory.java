package org.sluice.core.segment;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Small pieces of memory off the heap, aligned as a segment's are. */
public final class Memory {
  private Memory() {}

  /** Zeroed memory at a multiple of 8. */
  public static UnsafeBuffer of(final int length) {
    return new UnsafeBuffer(ByteBuffer.allocateDirect(length));
  }
}
