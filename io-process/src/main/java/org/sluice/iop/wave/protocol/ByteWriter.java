package org.sluice.iop.wave.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/** A message as it is written: little-endian, each list and map behind its length. One thread's. */
public final class ByteWriter {
  private ByteBuffer buffer = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);

  /** Returns a copy of the bytes that were written. */
  public byte[] bytes() {
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

  public void putLong(final long value) {
    room().putLong(value);
  }

  void putInt(final int value) {
    room().putInt(value);
  }

  public void put(final Message message) {
    final Stream stream = message.stream();
    putLong(stream.communicator());
    putInt(stream.source());
    putInt(stream.destination());
    putInt(stream.tag());
    putInt(0);
    putLong(message.number());
  }

  /** Writes how many messages streams have. */
  public void putCounts(final Map<Stream, Long> counts) {
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
