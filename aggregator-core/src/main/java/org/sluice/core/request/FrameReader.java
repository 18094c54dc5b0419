package org.sluice.core.request;

import java.net.ProtocolException;
import org.agrona.DirectBuffer;
import org.sluice.core.posix.FileName;
import org.sluice.core.segment.HeaderDescriptor;

/** Reads one frame field after field and trusts none of its lengths. Not thread-safe. */
final class FrameReader {
  private final DirectBuffer buffer;
  private final int start;
  private final int end;
  private int position;
  private boolean zeros;

  /** Begins with the fields behind the frame's header. */
  FrameReader(final DirectBuffer buffer, final int start, final int length) {
    this.buffer = buffer;
    this.start = start;
    this.end = start + length;
    this.position = start + RequestDescriptor.HEADER_LENGTH;
  }

  /** The type of a request, the status of a reply. */
  int typeOrStatus() {
    return buffer.getInt(start + RequestDescriptor.TYPE_OFFSET);
  }

  int getInt() throws ProtocolException {
    return zeros ? 0 : buffer.getInt(advance(Integer.BYTES));
  }

  /** A number that 32 reserved bits follow. */
  int getPaddedInt() throws ProtocolException {
    final int value = getInt();
    getInt();
    return value;
  }

  /**
   * The version that the sender speaks. Only the version is read of a request of another version,
   * so that the sender can be told: each later field reads as 0.
   */
  int getVersion() throws ProtocolException {
    final int version = getInt();
    if (version != HeaderDescriptor.VERSION) {
      position = end;
      zeros = true;
    }
    return version;
  }

  long getLong() throws ProtocolException {
    return zeros ? 0 : buffer.getLong(advance(Long.BYTES));
  }

  String getString() throws ProtocolException {
    return getText(getInt());
  }

  /** Text without a length of its own. */
  String getText(final int length) throws ProtocolException {
    final byte[] bytes = new byte[checked(length)];
    buffer.getBytes(advance(length), bytes);
    return FileName.decode(bytes);
  }

  int remaining() {
    return end - position;
  }

  /** Refuses a frame that is longer than its fields. */
  void finish() throws ProtocolException {
    if (position != end) {
      throw new ProtocolException(
          "malformed frame, type=%d surplus=%d".formatted(typeOrStatus(), remaining()));
    }
  }

  private int advance(final int length) throws ProtocolException {
    final int offset = position;
    position += checked(length);
    return offset;
  }

  private int checked(final int length) throws ProtocolException {
    if (length < 0 || length > remaining()) {
      throw new ProtocolException(
          "malformed frame, type=%d field=%d remaining=%d"
              .formatted(typeOrStatus(), length, remaining()));
    }
    return length;
  }
}
