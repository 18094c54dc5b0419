package org.sluice.iop.wave.protocol;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The messages of ranks and coordinator, and the images of a wave, as bytes: little-endian, each
 * list and map behind its length. {@code engine/*.c} of the layer in C has the same.
 */
public final class Encoding {
  private Encoding() {}

  // ---- what ranks say ----

  /**
   * Reads a marker.
   *
   * @param bytes of a MARKER
   * @return the marker
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
        list(in, one -> new Event.Posted((int) one.getLong(), pattern(one))));
  }

  /**
   * Reads a recording.
   *
   * @param bytes of a STOPPED
   * @return the recording
   * @throws BufferUnderflowException when they end too early
   */
  public static Recording recording(final ByteBuffer bytes) {
    final ByteBuffer in = bytes.order(ByteOrder.LITTLE_ENDIAN);
    final int rank = in.getInt();
    in.getInt();
    final List<Event> events = list(in, Encoding::event);
    final Map<Integer, Message> taken = messages(in);
    return new Recording(rank, events, taken, list(in, Encoding::message));
  }

  private static Event event(final ByteBuffer in) {
    final int kind = in.getInt();
    final int end = in.getInt() + in.position();
    final Event event =
        switch (kind) {
          case EventKind.SENT -> new Event.Sent(message(in), in.getInt());
          case EventKind.POSTED -> new Event.Posted((int) in.getLong(), pattern(in));
          case EventKind.COMPLETED -> new Event.Completed(list(in, one -> (int) one.getLong()));
          case EventKind.PROBED -> new Event.Probed((int) in.getLong());
          case EventKind.ENTERED ->
              new Event.Entered(
                  (int) in.getLong(),
                  new Collective(in.getLong(), in.getLong()),
                  Flow.values()[in.getInt()],
                  in.getInt(),
                  in.getInt());
          case EventKind.NOTHING -> new Event.Nothing(in.getLong());
          default -> throw new IllegalArgumentException("an event of kind " + kind);
        };
    in.position(end);
    return event;
  }

  private static Stream stream(final ByteBuffer in) {
    final Stream stream = new Stream(in.getLong(), in.getInt(), in.getInt(), in.getInt());
    in.getInt();
    return stream;
  }

  private static Message message(final ByteBuffer in) {
    return new Message(stream(in), in.getLong());
  }

  private static Pattern pattern(final ByteBuffer in) {
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

  private static Map<Integer, Message> messages(final ByteBuffer in) {
    final Map<Integer, Message> messages = new LinkedHashMap<>();
    for (long left = in.getLong(); left > 0; left--) {
      messages.put((int) in.getLong(), message(in));
    }
    return messages;
  }

  private static <T> List<T> list(final ByteBuffer in, final Function<ByteBuffer, T> one) {
    final List<T> all = new ArrayList<>();
    for (long left = in.getLong(); left > 0; left--) {
      all.add(one.apply(in));
    }
    return all;
  }

  // ---- what the coordinator says ----

  /**
   * Writes what a rank is to expect.
   *
   * @param expect what crosses the line to it
   * @return the bytes of an EXPECT
   */
  public static byte[] bytes(final Expect expect) {
    final Out out = new Out();
    out.put(expect);
    return out.bytes();
  }

  /**
   * Writes a rank's plan, but for what the rank has: its events, and what it was told to expect.
   *
   * @param plan the plan
   * @return the bytes of a PLAN
   */
  public static byte[] bytes(final Plan plan) {
    final Out out = new Out();
    out.putLong(plan.events().size());
    out.put(plan.forced());
    out.put(plan.found());
    out.putCounts(plan.suppressed());
    return out.bytes();
  }

  private static final class Out {
    private ByteBuffer buffer = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);

    byte[] bytes() {
      final byte[] bytes = new byte[buffer.position()];
      buffer.get(0, bytes);
      return bytes;
    }

    private ByteBuffer room() {
      if (buffer.remaining() < Long.BYTES) {
        buffer =
            ByteBuffer.allocate(buffer.capacity() * 2)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(buffer.flip());
      }
      return buffer;
    }

    void putLong(final long value) {
      room().putLong(value);
    }

    void putInt(final int value) {
      room().putInt(value);
    }

    void put(final Message message) {
      final Stream stream = message.stream();
      putLong(stream.communicator());
      putInt(stream.source());
      putInt(stream.destination());
      putInt(stream.tag());
      putInt(0);
      putLong(message.number());
    }

    void put(final Map<Integer, Message> messages) {
      putLong(messages.size());
      messages.forEach(
          (request, message) -> {
            putLong(request);
            put(message);
          });
    }

    void putCounts(final Map<Stream, Long> counts) {
      putLong(counts.size());
      counts.forEach((stream, count) -> put(new Message(stream, count)));
    }

    void put(final Expect expect) {
      putCounts(expect.late());
      putLong(expect.straddling().size());
      expect
          .straddling()
          .forEach(
              (communicator, number) -> {
                putLong(communicator);
                putLong(number);
              });
      putCounts(expect.early());
    }
  }
}
