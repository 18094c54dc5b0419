package org.sluice.iop.wave;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import org.sluice.core.posix.FileName;
import org.sluice.core.request.Reply;
import org.sluice.core.segment.Header;
import org.sluice.iop.wave.protocol.Order;

/**
 * The orders that the coordinator has given and rank 0 has not asked for yet. Service thread only.
 */
final class Orders {
  private static final int MOST = 60_000;
  private static final Reply.Order NONE = new Reply.Order(0, 0, 0, 0, "");

  private record Given(int kind, int rank, long wave, byte[] bytes) {}

  private final Header header;
  private final Deque<Given> orders = new ArrayDeque<>();
  private int given;

  Orders(final Header header) {
    this.header = header;
  }

  /** A rank sees at its next call that there is an order. */
  void give(final int kind, final int rank, final long wave, final byte[] bytes) {
    orders.add(new Given(kind, rank, wave, bytes));
    header.orders(header.orders() + 1);
  }

  void give(final int kind, final long wave) {
    give(kind, Order.ALL, wave, new byte[0]);
  }

  /** The same to every rank, with a number. */
  void giveInt(final int kind, final long wave, final int value) {
    final ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    give(kind, Order.ALL, wave, bytes.putInt(value).array());
  }

  /** The next piece. */
  Reply.Order next() {
    final Given order = orders.peek();
    if (order == null) {
      return NONE;
    }
    final int length = Math.min(MOST, order.bytes.length - given);
    final byte[] piece = new byte[length];
    System.arraycopy(order.bytes, given, piece, 0, length);
    given += length;
    final boolean more = given < order.bytes.length;
    if (!more) {
      orders.remove();
      given = 0;
    }
    return new Reply.Order(order.kind, order.rank, order.wave, more ? 1 : 0, text(piece));
  }

  static String text(final byte[] bytes) {
    return FileName.decode(bytes);
  }

  static byte[] bytes(final String text) {
    return FileName.encode(text);
  }
}
