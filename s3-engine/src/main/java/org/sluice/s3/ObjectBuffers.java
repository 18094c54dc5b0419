package org.sluice.s3;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.core.sync.RequestBody;

/** The bytes of an object in the caller's buffers, whose positions and limits stay as they are. */
final class ObjectBuffers {
  private static final String TYPE = "application/octet-stream";

  private final List<ByteBuffer> pieces;
  private final long length;

  ObjectBuffers(final List<ByteBuffer> pieces) {
    this.pieces = pieces;
    this.length = pieces.stream().mapToLong(ByteBuffer::remaining).sum();
  }

  long length() {
    return length;
  }

  /** Returns a part of the bytes as a request's body, which may be read several times. */
  RequestBody body(final long offset, final long count) {
    return RequestBody.fromContentProvider(() -> new Stream(cut(offset, count)), count, TYPE);
  }

  private List<ByteBuffer> cut(final long offset, final long count) {
    final List<ByteBuffer> cut = new ArrayList<>();
    long begin = 0;
    for (final ByteBuffer piece : pieces) {
      final long end = begin + piece.remaining();
      final long from = Math.max(begin, offset);
      final long to = Math.min(end, offset + count);
      if (from < to) {
        cut.add(piece.slice(piece.position() + (int) (from - begin), (int) (to - from)));
      }
      begin = end;
    }
    return cut;
  }

  /** A stream of buffers one after the other. Reading empties the buffers. */
  private static final class Stream extends InputStream {
    private final List<ByteBuffer> buffers;
    private int current;

    Stream(final List<ByteBuffer> buffers) {
      this.buffers = buffers;
    }

    @Override
    public int read() {
      final byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(final byte[] into, final int offset, final int most) {
      while (current < buffers.size() && !buffers.get(current).hasRemaining()) {
        current++;
      }
      if (current == buffers.size()) {
        return most == 0 ? 0 : -1;
      }
      final ByteBuffer buffer = buffers.get(current);
      final int count = Math.min(most, buffer.remaining());
      buffer.get(into, offset, count);
      return count;
    }

    @Override
    public int available() {
      return current < buffers.size() ? buffers.get(current).remaining() : 0;
    }
  }
}
