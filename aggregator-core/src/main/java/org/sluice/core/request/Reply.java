package org.sluice.core.request;

import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** What the I/O process answers to a {@link Request}. */
public sealed interface Reply {
  /** Done; nothing else to say. */
  record Done() implements Reply {}

  /**
   * Refused.
   *
   * @param errno why, a positive errno
   * @param message one sentence
   */
  record Failed(int errno, String message) implements Reply {}

  /**
   * To {@link Request.Attach}.
   *
   * @param slot the slot
   * @param sessionId the session of the I/O process
   */
  record Attached(int slot, long sessionId) implements Reply {}

  /**
   * To {@link Request.Open}.
   *
   * @param disposition {@code RequestDescriptor.PLAIN}, {@code DIRECT} or {@code DIVERT}
   * @param entry index in the image table
   * @param imageId the image
   * @param reason why it is not to be diverted, {@code Reason} by position; 0 when it is
   * @param size its logical size in bytes
   */
  record Opened(int disposition, int entry, int imageId, int reason, long size) implements Reply {
    private FrameWriter put(final FrameWriter frame) throws ProtocolException {
      return frame.putInt(disposition).putInt(entry).putInt(imageId).putInt(reason).putLong(size);
    }

    private static Opened get(final FrameReader f) throws ProtocolException {
      final int disposition = f.getInt();
      final int entry = f.getInt();
      final int imageId = f.getInt();
      final int reason = f.getInt();
      return new Opened(disposition, entry, imageId, reason, f.getLong());
    }
  }

  /**
   * To {@link Request.Create}.
   *
   * @param opened the image
   * @param path its own file
   */
  record Created(Opened opened, String path) implements Reply {}

  /**
   * To {@link Request.Settle}.
   *
   * @param size the image's size in bytes
   */
  record Settled(long size) implements Reply {}

  /**
   * To {@link Request.ListCheckpoints}.
   *
   * @param checkpoints their numbers, newest last
   */
  record Checkpoints(List<Long> checkpoints) implements Reply {
    /**
     * Copies the list.
     *
     * @param checkpoints their numbers, newest last
     */
    public Checkpoints {
      checkpoints = List.copyOf(checkpoints);
    }
  }

  /**
   * To {@link Request.Restart} and {@link Request.Stats}.
   *
   * @param text a path, or JSON
   */
  record Text(String text) implements Reply {}

  /**
   * To {@link Request.Threshold}.
   *
   * @param policy {@code HeaderDescriptor.POLICY_*}
   * @param bytes from which size on writes go direct now; {@link Long#MAX_VALUE} when none do
   * @param freeChunks chunks that nobody uses
   * @param chunks chunks of the buffer
   */
  record Threshold(int policy, long bytes, long freeChunks, int chunks) implements Reply {}

  /**
   * Encodes the reply as a frame.
   *
   * @param buffer where the frame goes; {@link RequestDescriptor#MAX_LENGTH} bytes must fit
   * @param offset where it begins there
   * @return the frame's length
   * @throws ProtocolException when it would be too long for a frame
   */
  default int encode(final MutableDirectBuffer buffer, final int offset) throws ProtocolException {
    final int status = this instanceof Failed failed ? -failed.errno : 0;
    final FrameWriter frame = new FrameWriter(buffer, offset, status);
    switch (this) {
      case Done() -> {}
      case Failed r -> frame.putText(r.message);
      case Attached r -> frame.putInt(r.slot).putInt(0).putLong(r.sessionId);
      case Opened r -> r.put(frame);
      case Created r -> r.opened.put(frame).putString(r.path);
      case Settled r -> frame.putLong(r.size);
      case Checkpoints r -> {
        frame.putInt(r.checkpoints.size());
        for (final long checkpoint : r.checkpoints) {
          frame.putLong(checkpoint);
        }
      }
      case Text r -> frame.putString(r.text);
      case Threshold r ->
          frame.putInt(r.policy).putInt(r.chunks).putLong(r.bytes).putLong(r.freeChunks);
    }
    return frame.finish();
  }

  /**
   * Decodes the reply to a request.
   *
   * @param request what was asked
   * @param buffer where the frame is
   * @param offset where it begins there
   * @param length its length, as {@link Frames#length} returned it
   * @return the reply
   * @throws ProtocolException when a field does not fit the frame
   */
  static Reply decode(
      final Request request, final DirectBuffer buffer, final int offset, final int length)
      throws ProtocolException {
    final FrameReader f = new FrameReader(buffer, offset, length);
    final Reply reply =
        f.typeOrStatus() == 0
            ? decodeBody(request, f)
            : new Failed(-f.typeOrStatus(), f.getText(f.remaining()));
    f.finish();
    return reply;
  }

  private static Reply decodeBody(final Request request, final FrameReader f)
      throws ProtocolException {
    return switch (request) {
      case Request.Attach r -> decodeAttached(f);
      case Request.Open r -> Opened.get(f);
      case Request.Create r -> new Created(Opened.get(f), f.getString());
      case Request.Settle r -> new Settled(f.getLong());
      case Request.ListCheckpoints() -> decodeCheckpoints(f);
      case Request.Restart r -> new Text(f.getString());
      case Request.Stats() -> new Text(f.getString());
      case Request.Threshold r -> decodeThreshold(f);
      default -> new Done();
    };
  }

  private static Reply decodeAttached(final FrameReader f) throws ProtocolException {
    final int slot = f.getInt();
    f.getInt();
    return new Attached(slot, f.getLong());
  }

  private static Reply decodeCheckpoints(final FrameReader f) throws ProtocolException {
    final List<Long> checkpoints = new ArrayList<>();
    for (int left = f.getInt(); left > 0; left--) {
      checkpoints.add(f.getLong());
    }
    return new Checkpoints(checkpoints);
  }

  private static Threshold decodeThreshold(final FrameReader f) throws ProtocolException {
    final int policy = f.getInt();
    final int chunks = f.getInt();
    return new Threshold(policy, f.getLong(), f.getLong(), chunks);
  }
}
