package org.sluice.core.request;

import java.net.ProtocolException;
import org.agrona.MutableDirectBuffer;
import org.sluice.core.posix.FileName;

/** Writes one frame: its header, field after field, and its length last. Not thread-safe. */
final class FrameWriter {
  private final MutableDirectBuffer buffer;
  private final int start;
  private int position;

  /**
   * @param buffer the destination; at least {@link RequestDescriptor#MAX_LENGTH} bytes there
   */
  FrameWriter(final MutableDirectBuffer buffer, final int start) {
    this.buffer = buffer;
    this.start = start;
    this.position = start + RequestDescriptor.HEADER_LENGTH;
  }

  /** The type of a request, the status of a reply; each frame has one. */
  FrameWriter putTypeOrStatus(final int value) {
    buffer.putInt(start + RequestDescriptor.TYPE_OFFSET, value);
    return this;
  }

  FrameWriter putInt(final int value) throws ProtocolException {
    buffer.putInt(advance(Integer.BYTES), value);
    return this;
  }

  FrameWriter putLong(final long value) throws ProtocolException {
    buffer.putLong(advance(Long.BYTES), value);
    return this;
  }

  FrameWriter putString(final String value) throws ProtocolException {
    final byte[] bytes = FileName.encode(value);
    putInt(bytes.length);
    return putBytes(bytes);
  }

  /** Writes the rest of the body as text, without a length of its own. */
  FrameWriter putText(final String value) throws ProtocolException {
    return putBytes(FileName.encode(value));
  }

  private FrameWriter putBytes(final byte[] bytes) throws ProtocolException {
    buffer.putBytes(advance(bytes.length), bytes);
    return this;
  }

  private int advance(final int length) throws ProtocolException {
    final int offset = position;
    if (length > RequestDescriptor.MAX_LENGTH - (offset - start)) {
      throw new ProtocolException(
          "frame longer than %d bytes".formatted(RequestDescriptor.MAX_LENGTH));
    }
    position += length;
    return offset;
  }

  int finish() {
    buffer.putInt(start + RequestDescriptor.LENGTH_OFFSET, position - start);
    return position - start;
  }
}
