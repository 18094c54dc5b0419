package org.sluice.core.request;

import java.net.ProtocolException;
import org.agrona.DirectBuffer;

/** Finds the frames in a stream. */
public final class Frames {
  private Frames() {}

  /**
   * @return the frame's length; 0 when not all of it was received yet
   * @throws ProtocolException when the length is one that no frame has
   */
  public static int length(final DirectBuffer buffer, final int offset, final int available)
      throws ProtocolException {
    if (available < RequestDescriptor.HEADER_LENGTH) {
      return 0;
    }
    final int length = buffer.getInt(offset + RequestDescriptor.LENGTH_OFFSET);
    if (length < RequestDescriptor.HEADER_LENGTH || length > RequestDescriptor.MAX_LENGTH) {
      throw new ProtocolException("malformed frame, length=" + length);
    }
    return length <= available ? length : 0;
  }
}
