package org.sluice.iop.wave.protocol.c3;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.iop.wave.protocol.ByteWriter;
import org.sluice.iop.wave.protocol.Collective;
import org.sluice.iop.wave.protocol.Encoding;
import org.sluice.iop.wave.protocol.Flow;
import org.sluice.iop.wave.protocol.Message;

/** The codec of the ranks' recordings and plans; {@code mpi/c3} of the layer has the same. */
final class RecordCodec {
  private RecordCodec() {}

  /**
   * @throws BufferUnderflowException when they end too early
   */
  static Recording recording(final ByteBuffer bytes) {
    final ByteBuffer in = bytes.order(ByteOrder.LITTLE_ENDIAN);
    final int rank = in.getInt();
    in.getInt();
    final List<Event> events = Encoding.list(in, RecordCodec::event);
    final Map<Integer, Message> taken = messages(in);
    return new Recording(rank, events, taken, Encoding.list(in, Encoding::message));
  }

  private static Event event(final ByteBuffer in) {
    final int kind = in.getInt();
    final int end = in.getInt() + in.position();
    final Event event =
        switch (kind) {
          case EventKind.SENT -> new Event.Sent(Encoding.message(in), in.getInt());
          case EventKind.POSTED -> new Event.Posted((int) in.getLong(), Encoding.pattern(in));
          case EventKind.COMPLETED ->
              new Event.Completed(Encoding.list(in, one -> (int) one.getLong()));
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

  private static Map<Integer, Message> messages(final ByteBuffer in) {
    final Map<Integer, Message> messages = new LinkedHashMap<>();
    for (long left = in.getLong(); left > 0; left--) {
      messages.put((int) in.getLong(), Encoding.message(in));
    }
    return messages;
  }

  /**
   * Writes a rank's PLAN, but for what the rank has: its events, and what it was told to expect.
   */
  static byte[] bytes(final Plan plan) {
    final ByteWriter out = new ByteWriter();
    out.putLong(plan.events().size());
    put(out, plan.forced());
    put(out, plan.found());
    out.putCounts(plan.suppressed());
    return out.bytes();
  }

  private static void put(final ByteWriter out, final Map<Integer, Message> messages) {
    out.putLong(messages.size());
    messages.forEach(
        (request, message) -> {
          out.putLong(request);
          out.put(message);
        });
  }
}
