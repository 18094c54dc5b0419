package org.sluice.core.posix;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;

/**
 * Times in the zone of this process, by the C library: to load Java's zones takes 16 ms of
 * processor. Thread-safe.
 */
public final class LocalTimes {
  private static final int TM_LENGTH = 56;
  private static final int LONGEST = 64;

  private LocalTimes() {}

  /** Returns date and time to the second, as in 2026-11-30 06:34:21. */
  public static String seconds(final Instant time) {
    return format(time, "%F %T");
  }

  /** Returns date and time to the minute, as in 2026-11-30 06:34. */
  public static String minutes(final Instant time) {
    return format(time, "%F %H:%M");
  }

  private static String format(final Instant time, final String format) {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct second =
          new NativeStruct(arena, Long.BYTES).putLong(0, time.getEpochSecond());
      final NativeStruct parts = new NativeStruct(arena, TM_LENGTH);
      LibC.LOCALTIME_R.call(second.address(), parts.address()); // fails for no year of an Instant
      final NativeStruct pattern = NativeStruct.ofAscii(arena, format);
      final NativeStruct text = new NativeStruct(arena, LONGEST);
      final long length =
          LibC.STRFTIME.call(text.address(), LONGEST, pattern.address(), parts.address());
      return new String(text.getBytes(0, (int) length), StandardCharsets.US_ASCII);
    }
  }
}
