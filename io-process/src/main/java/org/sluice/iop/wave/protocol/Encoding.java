package org.sluice.iop.wave.protocol;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The messages of ranks and coordinator as bytes: little-endian, each list and map behind its
 * length. {@code mpi/core} of the layer in C has the same.
 */
public final class Encoding {
  private Encoding() {}

  // ---- what ranks say ----

  /**
   * @throws BufferUnderflowException when they end too early
   */
  public static Marker marker(final ByteBuffer bytes) {
    final ByteBuffer in = bytes.order(ByteOrder.LITTLE_ENDIAN);
    final int rank = in.getInt();
    in.getInt();
    return new Marker(
        rank,
        counts(in),
        counts(in),
        numbers(in),
        list(in, one -> new OpenReceive((int) one.getLong(), pattern(one))));
  }

  private static Stream stream(final ByteBuffer in) {
    final Stream stream = new Stream(in.getLong(), in.getInt(), in.getInt(), in.getInt());
    in.getInt();
    return stream;
  }

  public static Message message(final ByteBuffer in) {
    return new Message(stream(in), in.getLong());
  }

  public static Pattern pattern(final ByteBuffer in) {
    return new Pattern(in.getLong(), in.getInt(), in.getInt());
  }

  private static Map<Stream, Long> counts(final ByteBuffer in) {
    final Map<Stream, Long> counts = new HashMap<>();
    list(in, Encoding::message).forEach(one -> counts.put(one.stream(), one.number()));
    return counts;
  }

  private static Map<Long, Long> numbers(final ByteBuffer in) {
    final Map<Long, Long> numbers = new HashMap<>();
    for (long left = in.getLong(); left > 0; left--) {
      numbers.put(in.getLong(), in.getLong());
    }
    return numbers;
  }

  public static <T> List<T> list(final ByteBuffer in, final Function<ByteBuffer, T> one) {
    final List<T> all = new ArrayList<>();
    for (long left = in.getLong(); left > 0; left--) {
      all.add(one.apply(in));
    }
    return all;
  }

  // ---- what the coordinator says ----

  /** Writes what a rank is to expect, as an EXPECT. */
  public static byte[] bytes(final Expect expect) {
    final ByteWriter out = new ByteWriter();
    out.put(expect);
    return out.bytes();
  }

  static byte[] longs(final long... values) {
    final ByteWriter out = new ByteWriter();
    Arrays.stream(values).forEach(out::putLong);
    return out.bytes();
  }
}
