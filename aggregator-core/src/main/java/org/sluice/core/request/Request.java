package org.sluice.core.request;

import java.net.ProtocolException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.sluice.core.segment.HeaderDescriptor;

/**
 * A request from an application process to the I/O process. {@code docs/format.md} says what each
 * means and what is answered.
 */
public sealed interface Request {
  /**
   * Takes a slot.
   *
   * @param version version of the format the client speaks
   * @param pid the client
   * @param rank its rank, -1 unknown
   * @param ranks ranks of the job, 0 unknown
   * @param startTime when the client started, in clock ticks since boot
   * @param token random; the same when a client asks again that got no reply
   * @param localRanks ranks of the job on this node; 0 all, as far as it knows; -1 fewer, but it
   *     does not know how many
   */
  record Attach(
      int version, int pid, int rank, int ranks, long startTime, long token, int localRanks)
      implements Request {}

  /**
   * Takes a slot again that the session gave this client, on a connection made anew.
   *
   * @param version version of the format the client speaks
   * @param slot the slot
   * @param sessionId the session
   * @param generation of the slot
   * @param answered how many of the client's requests were answered, not counting how it attached
   */
  record Resume(int version, int slot, long sessionId, long generation, long answered)
      implements Request {}

  /**
   * Announces an opened file.
   *
   * @param device {@code major << 32 | minor}
   * @param inode inode number
   * @param flags {@code RequestDescriptor.OPEN_*}
   * @param path the name it was opened by
   */
  record Open(long device, long inode, int flags, String path) implements Request {}

  /**
   * Asks that the image's own file hold everything.
   *
   * @param imageId the image
   * @param reason why the image becomes direct, {@code Reason} by position; 0 when it does not
   */
  record Settle(int imageId, int reason) implements Request {}

  /**
   * Asks that everything written be on stable storage.
   *
   * @param imageId the image
   */
  record Sync(int imageId) implements Request {}

  /**
   * Says that an image may have a new name. No reply.
   *
   * @param device {@code major << 32 | minor}
   * @param inode inode number
   */
  record Renamed(long device, long inode) implements Request {}

  /**
   * Asks that a path no longer name a committed inode.
   *
   * @param device {@code major << 32 | minor}
   * @param inode inode number
   * @param flags {@code RequestDescriptor.REPLACE_*}
   * @param path the path
   */
  record Replace(long device, long inode, int flags, String path) implements Request {}

  /** The doorbell. No reply. */
  record Wake() implements Request {}

  /**
   * Begins a checkpoint.
   *
   * @param checkpoint its number
   * @param ranks how many ranks complete it
   */
  record Begin(long checkpoint, int ranks) implements Request {}

  /**
   * Creates an image of a checkpoint.
   *
   * @param checkpoint the checkpoint's number
   * @param rank who writes the image
   * @param ranks ranks of the job
   * @param name the image's name
   */
  record Create(long checkpoint, int rank, int ranks, String name) implements Request {}

  /**
   * Says that a rank has written all its images of a checkpoint.
   *
   * @param checkpoint the checkpoint's number
   * @param rank the rank
   */
  record Complete(long checkpoint, int rank) implements Request {}

  /**
   * Waits until a checkpoint is committed.
   *
   * @param checkpoint the checkpoint's number
   * @param timeoutMillis how long at most
   */
  record Await(long checkpoint, long timeoutMillis) implements Request {}

  /** Lists committed checkpoints. */
  record ListCheckpoints() implements Request {}

  /**
   * Asks for a rebuilt copy of a committed image.
   *
   * @param checkpoint the checkpoint's number, -1 for the newest
   * @param rank who wrote the image
   * @param name the image's name
   */
  record Restart(long checkpoint, int rank, String name) implements Request {}

  /**
   * Joins the I/O process as a member that keeps it alive.
   *
   * @param version version of the format the client speaks
   */
  record Join(int version) implements Request {}

  /**
   * Ends a membership.
   *
   * @param exitStatus the exit status of what the member ran
   */
  record Leave(int exitStatus) implements Request {}

  /** Asks for the statistics. */
  record Stats() implements Request {}

  /**
   * Asks for the threshold and changes it before, if it says so.
   *
   * @param policy {@code HeaderDescriptor.POLICY_*}, or 0 to change nothing
   * @param bytes with the fixed policy, from which size on writes go direct
   */
  record Threshold(int policy, long bytes) implements Request {}

  /**
   * Whether the client waits for a reply.
   *
   * @return false for the two that are told only
   */
  default boolean hasReply() {
    return !(this instanceof Renamed || this instanceof Wake);
  }

  /**
   * Encodes the request as a frame.
   *
   * @param buffer where the frame goes; {@link RequestDescriptor#MAX_LENGTH} bytes must fit
   * @param offset where it begins there
   * @return the frame's length
   * @throws ProtocolException when it would be too long for a frame
   */
  default int encode(final MutableDirectBuffer buffer, final int offset) throws ProtocolException {
    final FrameWriter frame = new FrameWriter(buffer, offset, type());
    switch (this) {
      case Attach r ->
          frame
              .putInt(r.version)
              .putInt(r.pid)
              .putInt(r.rank)
              .putInt(r.ranks)
              .putLong(r.startTime)
              .putLong(r.token)
              .putInt(r.localRanks)
              .putInt(0);
      case Resume r ->
          frame
              .putInt(r.version)
              .putInt(r.slot)
              .putLong(r.sessionId)
              .putLong(r.generation)
              .putLong(r.answered);
      case Open r -> frame.putLong(r.device).putLong(r.inode).putInt(r.flags).putString(r.path);
      case Settle r -> frame.putInt(r.imageId).putInt(r.reason);
      case Sync r -> frame.putInt(r.imageId);
      case Renamed r -> frame.putLong(r.device).putLong(r.inode);
      case Replace r -> frame.putLong(r.device).putLong(r.inode).putInt(r.flags).putString(r.path);
      case Begin r -> frame.putLong(r.checkpoint).putInt(r.ranks);
      case Create r -> frame.putLong(r.checkpoint).putInt(r.rank).putInt(r.ranks).putString(r.name);
      case Complete r -> frame.putLong(r.checkpoint).putInt(r.rank);
      case Await r -> frame.putLong(r.checkpoint).putLong(r.timeoutMillis);
      case Restart r -> frame.putLong(r.checkpoint).putInt(r.rank).putString(r.name);
      case Join r -> frame.putInt(r.version);
      case Leave r -> frame.putInt(r.exitStatus);
      case Threshold r -> frame.putInt(r.policy).putInt(0).putLong(r.bytes);
      case Wake(), ListCheckpoints(), Stats() -> {}
    }
    return frame.finish();
  }

  private int type() {
    return switch (this) {
      case Attach r -> RequestDescriptor.ATTACH;
      case Resume r -> RequestDescriptor.RESUME;
      case Open r -> RequestDescriptor.OPEN;
      case Settle r -> RequestDescriptor.SETTLE;
      case Sync r -> RequestDescriptor.SYNC;
      case Renamed r -> RequestDescriptor.RENAMED;
      case Replace r -> RequestDescriptor.REPLACE;
      case Wake r -> RequestDescriptor.WAKE;
      case Begin r -> RequestDescriptor.BEGIN;
      case Create r -> RequestDescriptor.CREATE;
      case Complete r -> RequestDescriptor.COMPLETE;
      case Await r -> RequestDescriptor.WAIT;
      case ListCheckpoints r -> RequestDescriptor.LIST;
      case Restart r -> RequestDescriptor.RESTART;
      case Join r -> RequestDescriptor.JOIN;
      case Leave r -> RequestDescriptor.LEAVE;
      case Stats r -> RequestDescriptor.STATS;
      case Threshold r -> RequestDescriptor.THRESHOLD;
    };
  }

  /**
   * Decodes a frame. Of ATTACH and JOIN in another version of the format only the version is read,
   * so that the sender can be told.
   *
   * @param buffer where the frame is
   * @param offset where it begins there
   * @param length its length, as {@link Frames#length} returned it
   * @return the request
   * @throws ProtocolException when the type is unknown, or a field does not fit the frame
   */
  static Request decode(final DirectBuffer buffer, final int offset, final int length)
      throws ProtocolException {
    final FrameReader f = new FrameReader(buffer, offset, length);
    final Request request =
        switch (f.typeOrStatus()) {
          case RequestDescriptor.ATTACH -> decodeAttach(f);
          case RequestDescriptor.RESUME -> decodeResume(f);
          case RequestDescriptor.OPEN ->
              new Open(f.getLong(), f.getLong(), f.getInt(), f.getString());
          case RequestDescriptor.SETTLE -> new Settle(f.getInt(), f.getInt());
          case RequestDescriptor.SYNC -> new Sync(f.getInt());
          case RequestDescriptor.RENAMED -> new Renamed(f.getLong(), f.getLong());
          case RequestDescriptor.REPLACE ->
              new Replace(f.getLong(), f.getLong(), f.getInt(), f.getString());
          case RequestDescriptor.WAKE -> new Wake();
          case RequestDescriptor.BEGIN -> new Begin(f.getLong(), f.getInt());
          case RequestDescriptor.CREATE ->
              new Create(f.getLong(), f.getInt(), f.getInt(), f.getString());
          case RequestDescriptor.COMPLETE -> new Complete(f.getLong(), f.getInt());
          case RequestDescriptor.WAIT -> new Await(f.getLong(), f.getLong());
          case RequestDescriptor.LIST -> new ListCheckpoints();
          case RequestDescriptor.RESTART -> new Restart(f.getLong(), f.getInt(), f.getString());
          case RequestDescriptor.JOIN -> decodeJoin(f);
          case RequestDescriptor.LEAVE -> new Leave(f.getInt());
          case RequestDescriptor.STATS -> new Stats();
          case RequestDescriptor.THRESHOLD -> decodeThreshold(f);
          default -> throw new ProtocolException("unknown request, type=" + f.typeOrStatus());
        };
    f.finish();
    return request;
  }

  private static Request decodeAttach(final FrameReader f) throws ProtocolException {
    final int version = f.getInt();
    if (version != HeaderDescriptor.VERSION) {
      f.skipRest();
      return new Attach(version, 0, -1, 0, 0, 0, 0);
    }
    final Attach attach =
        new Attach(
            version, f.getInt(), f.getInt(), f.getInt(), f.getLong(), f.getLong(), f.getInt());
    f.getInt();
    return attach;
  }

  private static Request decodeResume(final FrameReader f) throws ProtocolException {
    final int version = f.getInt();
    if (version != HeaderDescriptor.VERSION) {
      f.skipRest();
      return new Resume(version, -1, 0, 0, 0);
    }
    return new Resume(version, f.getInt(), f.getLong(), f.getLong(), f.getLong());
  }

  private static Request decodeJoin(final FrameReader f) throws ProtocolException {
    final int version = f.getInt();
    if (version != HeaderDescriptor.VERSION) {
      f.skipRest();
    }
    return new Join(version);
  }

  private static Request decodeThreshold(final FrameReader f) throws ProtocolException {
    final int policy = f.getInt();
    f.getInt();
    return new Threshold(policy, f.getLong());
  }
}
