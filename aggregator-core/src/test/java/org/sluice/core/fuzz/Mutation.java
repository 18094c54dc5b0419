package org.sluice.core.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/**
 * One thing wrong with valid bytes.
 *
 * @param kind what
 * @param where a position, modulo the length
 * @param value what is put there, or how much of it there is
 */
public record Mutation(Kind kind, int where, long value) {
  /** What may go wrong. */
  public enum Kind {
    FLIP,
    BYTE,
    INT,
    LONG,
    CUT,
    SPLICE
  }

  private static final Long[] EXTREMES = {
    0L,
    1L,
    -1L,
    63L,
    64L,
    4096L,
    65_535L,
    65_536L,
    (long) Integer.MAX_VALUE,
    (long) Integer.MIN_VALUE,
    1L << 32,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MAX_VALUE - 7,
    1L << 62
  };

  /** A few mutations; they shrink to fewer and simpler ones. */
  public static Arbitrary<List<Mutation>> several() {
    return Combinators.combine(
            Arbitraries.of(Kind.class),
            Arbitraries.integers().between(0, 1 << 20),
            Arbitraries.oneOf(Arbitraries.of(EXTREMES), Arbitraries.longs()))
        .as(Mutation::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(5);
  }

  /** The bytes with all of that wrong. */
  public static byte[] apply(final byte[] valid, final List<Mutation> mutations) {
    byte[] bytes = valid.clone();
    for (final Mutation mutation : mutations) {
      bytes = bytes.length == 0 ? bytes : mutation.apply(bytes);
    }
    return bytes;
  }

  private byte[] apply(final byte[] bytes) {
    final int at = where % bytes.length;
    final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    switch (kind) {
      case FLIP -> bytes[at] ^= (byte) (1 << (value & 7));
      case BYTE -> bytes[at] = (byte) value;
      case INT -> {
        if (bytes.length >= Integer.BYTES) {
          buffer.putInt(Math.min(at & ~3, bytes.length - Integer.BYTES), (int) value);
        }
      }
      case LONG -> {
        if (bytes.length >= Long.BYTES) {
          buffer.putLong(Math.min(at & ~3, bytes.length - Long.BYTES), value);
        }
      }
      case CUT -> {
        return Arrays.copyOf(bytes, at);
      }
      case SPLICE -> {
        final int from = (int) (Math.abs(value % bytes.length) & ~7);
        System.arraycopy(bytes, from, bytes, at, Math.min(64, bytes.length - Math.max(at, from)));
      }
    }
    return bytes;
  }
}
