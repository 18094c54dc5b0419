package org.sluice.core.request;

import java.net.ProtocolException;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** The answer of the I/O process to a {@link Request}. */
public sealed interface Reply {
  /** Done; nothing else to say. */
  record Done() implements Reply {}

  /** Refused. */
  record Failed(int errno, String message) implements Reply {}

  /**
   * The reply to {@link Request.Attach}.
   *
   * @param sessionId the session of the I/O process
   */
  record Attached(@Wire.Means(padded = true) int slot, long sessionId) implements Reply {}

  /**
   * The reply to {@link Request.Open}.
   *
   * @param disposition {@code RequestDescriptor.PLAIN}, {@code DIRECT} or {@code DIVERT}
   * @param reason why it is not to be diverted, {@code Reason} by position; 0 when it is
   * @param size its logical size in bytes
   */
  record Opened(
      int disposition,
      int entry,
      int imageId,
      @Wire.Means("why it is not diverted, 0 when it is") int reason,
      long size)
      implements Reply {}

  /** The reply to {@link Request.Create}. */
  record Created(Opened opened, String path) implements Reply {}

  /**
   * The reply to {@link Request.Settle}.
   *
   * @param size the image's size in bytes
   */
  record Settled(long size) implements Reply {}

  /**
   * The reply to {@link Request.ListCheckpoints}.
   *
   * @param checkpoints their numbers, newest last
   */
  record Checkpoints(@Wire.Means("newest last") List<Long> checkpoints) implements Reply {
    /** The most that a frame has room for. */
    static final int MOST =
        (RequestDescriptor.MAX_LENGTH - RequestDescriptor.HEADER_LENGTH - Integer.BYTES)
            / Long.BYTES;

    public Checkpoints {
      checkpoints = List.copyOf(checkpoints);
    }

    /** Returns the reply for very many checkpoints: the newest of them. */
    public static Checkpoints newest(final List<Long> checkpoints) {
      return new Checkpoints(
          checkpoints.subList(Math.max(0, checkpoints.size() - MOST), checkpoints.size()));
    }
  }

  /**
   * The reply to {@link Request.Restart} and {@link Request.Stats}.
   *
   * @param text a path, or JSON
   */
  record Text(String text) implements Reply {}

  /**
   * The reply to {@link Request.Orders}: the oldest order that was not asked for, or a piece of it.
   *
   * @param kind {@code org.sluice.iop.wave.protocol.Control}; 0 when there is none
   * @param rank the rank that it is for; -1 all
   * @param wave the wave, 0 none
   * @param more 1 when more of its bytes come with the next reply
   * @param bytes any, as a file's name has them
   */
  record Order(
      @Wire.Means("0 when there is none") int kind,
      @Wire.Means("whom it is for, -1 all") int rank,
      long wave,
      @Wire.Means(value = "1 when the next reply has more of its bytes", padded = true) int more,
      @Wire.Means("any bytes") String bytes)
      implements Reply {}

  /**
   * The reply to {@link Request.Threshold}.
   *
   * @param policy {@code HeaderDescriptor.POLICY_*}
   * @param bytes from which size on writes go direct now; {@link Long#MAX_VALUE} when none do
   */
  record Threshold(
      int policy,
      int chunks,
      @Wire.Means("2^63 - 1: no write goes direct") long bytes,
      long freeChunks)
      implements Reply {}

  /**
   * @param buffer the destination; {@link RequestDescriptor#MAX_LENGTH} bytes must fit
   * @throws ProtocolException when it would be too long for a frame
   */
  default int encode(final MutableDirectBuffer buffer, final int offset) throws ProtocolException {
    final FrameWriter frame = new FrameWriter(buffer, offset);
    if (this instanceof Failed failed) {
      frame.putTypeOrStatus(-failed.errno).putText(failed.message);
    } else {
      Bodies.put(this, frame);
    }
    return frame.finish();
  }

  /**
   * @param length its length, as {@link Frames#length} returned it
   * @throws ProtocolException when a field does not fit the frame
   */
  static Reply decode(
      final Request request, final DirectBuffer buffer, final int offset, final int length)
      throws ProtocolException {
    final FrameReader frame = new FrameReader(buffer, offset, length);
    final Reply reply =
        frame.typeOrStatus() == 0
            ? Bodies.get(request, frame)
            : new Failed(-frame.typeOrStatus(), frame.getText(frame.remaining()));
    frame.finish();
    return reply;
  }
}
