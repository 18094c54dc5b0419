package org.sluice.core.request;

import java.net.ProtocolException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A request from an application process to the I/O process. {@code docs/format.md} has the meaning
 * of each and its reply.
 */
public sealed interface Request {
  /**
   * Takes a slot.
   *
   * @param version version of the format the client speaks
   * @param rank its rank, -1 unknown
   * @param ranks ranks of the job, 0 unknown
   * @param startTime the client's start, in clock ticks since boot
   * @param token random; the same when a client asks again that got no reply
   * @param localRanks ranks of the job on this node; 0 all, as far as it knows; -1 an unknown
   *     number, fewer than all
   * @param early 1 when the client has opened no file yet
   */
  @Wire(type = 1, reply = Reply.Attached.class)
  record Attach(
      int version,
      int pid,
      int rank,
      int ranks,
      long startTime,
      @Wire.Means("random, the same when it is repeated for want of a reply") long token,
      @Wire.Means("of the job, on this node; 0 all, -1 fewer, how many is unknown") int localRanks,
      @Wire.Means("1 of one that has opened no file yet: refused while half of the slots are taken")
          int early)
      implements Request {}

  /**
   * Takes a slot again that the session gave this client, on a connection made anew.
   *
   * @param version version of the format the client speaks
   * @param answered the number of the client's requests that were answered, without its attach
   */
  @Wire(type = 9, replyMeans = "empty; `-ESTALE` when the slot is not the client's")
  record Resume(
      int version,
      int slot,
      long sessionId,
      @Wire.Means("of the slot") long generation,
      @Wire.Means("how many of the client's requests had a reply, how it attached not counted")
          long answered)
      implements Request {}

  /**
   * Announces an opened file.
   *
   * @param device {@code major << 32 | minor}
   * @param flags {@code RequestDescriptor.OPEN_*}
   * @param path the name it was opened by; empty where that is longer than the kernel tells
   */
  @Wire(type = 2, reply = Reply.Opened.class)
  record Open(
      long device,
      long inode,
      int flags,
      @Wire.Means("empty where it is longer than 4095 bytes") String path)
      implements Request {}

  /**
   * Asks that the image's own file hold everything.
   *
   * @param reason why the image becomes direct, {@code Reason} by position; 0 when it does not
   */
  @Wire(type = 4, reply = Reply.Settled.class)
  record Settle(
      int imageId,
      @Wire.Means(
              "why the image becomes direct, 0 when it does not; with 256 the I/O process keeps no"
                  + " descriptor to read or write it until all have closed it")
          int reason)
      implements Request {}

  /** Asks that everything written be on stable storage. */
  @Wire(type = 5, replyMeans = "empty, once everything written so far is on stable storage")
  record Sync(int imageId) implements Request {}

  /**
   * Says that an image may have a new name. No reply.
   *
   * @param device {@code major << 32 | minor}
   */
  @Wire(type = 6, told = true, replyMeans = "none; the group of the image is looked at again")
  record Renamed(long device, long inode) implements Request {}

  /**
   * Asks that a path no longer name a committed inode.
   *
   * @param device {@code major << 32 | minor}
   * @param flags {@code RequestDescriptor.REPLACE_*}
   * @param path the path; empty where that is longer than the kernel tells
   */
  @Wire(
      type = 7,
      replyMeans =
          "empty; the path no longer names the committed inode, and no lease is in the way")
  record Replace(
      long device,
      long inode,
      @Wire.Means(
              "1 to be truncated; 2 it stays, only its lease is given back; 4 it is a renamed directory or has another name, the path; with 8 it came from outside; 16 of no file: who opens a closed one past the shim finds it whole, or waits")
          int flags,
      String path)
      implements Request {}

  /** The doorbell. No reply. */
  @Wire(type = 8, told = true, replyMeans = "none")
  record Wake() implements Request {}

  /**
   * Begins a checkpoint, or a rank's part of it.
   *
   * @param bound 1 if the checkpoint is given up when a process that began it ends before its part
   *     is complete, and each rank is one process; else 0
   */
  @Wire(type = 16)
  record Begin(
      long checkpoint,
      int ranks,
      @Wire.Means("1 to be given up when the process ends before its part is complete, else 0")
          int bound)
      implements Request {}

  /**
   * Creates an image of a checkpoint.
   *
   * @param ranks ranks of the job; 0 for the copy of a file, whose name is its path in the capture
   *     directory
   */
  @Wire(type = 17, reply = Reply.Created.class)
  record Create(
      long checkpoint,
      int rank,
      @Wire.Means("0 for the copy of a file, whose name is its path in the capture directory")
          int ranks,
      String name)
      implements Request {}

  /** Says that a rank has written all its images of a checkpoint. */
  @Wire(type = 18)
  record Complete(long checkpoint, int rank) implements Request {}

  /** Waits until a checkpoint is committed. */
  @Wire(type = 19, name = "WAIT", replyMeans = "empty once committed; `-ETIMEDOUT`")
  record Await(long checkpoint, long timeoutMillis) implements Request {}

  /** Lists committed checkpoints. */
  @Wire(type = 20, name = "LIST", reply = Reply.Checkpoints.class)
  record ListCheckpoints() implements Request {}

  /**
   * Asks for a rebuilt copy of a committed image.
   *
   * @param checkpoint the checkpoint's number, -1 for the newest
   */
  @Wire(
      type = 21,
      reply = Reply.Text.class,
      replyMeans = "path of a rebuilt copy; the client opens and unlinks it")
  record Restart(@Wire.Means("-1 the newest") long checkpoint, int rank, String name)
      implements Request {}

  /**
   * Asks for a committed image, which comes through a pipe as {@link PieceDescriptor} says.
   *
   * @param checkpoint the checkpoint's number, -1 for the newest
   */
  @Wire(type = 27, replyMeans = "empty, before the first piece")
  record Read(
      @Wire.Means("-1 the newest") long checkpoint,
      int rank,
      @Wire.Means("of the client's end of a pipe to write to") int descriptor,
      String name)
      implements Request {}

  /**
   * A report of a rank of an MPI job to the coordinator of its waves.
   *
   * @param kind {@code org.sluice.iop.wave.protocol.Control}
   * @param wave the wave, 0 none
   * @param more 1 when more of its bytes come with the next request
   * @param bytes any, as a file's name has them
   */
  @Wire(type = 22, replyMeans = "empty")
  record Wave(
      int kind,
      int rank,
      long wave,
      @Wire.Means(value = "1 when the next request has more of its bytes", padded = true) int more,
      @Wire.Means("any bytes") String bytes)
      implements Request {}

  /** Asks for an order of the coordinator of an MPI job's waves. */
  @Wire(type = 23, reply = Reply.Order.class)
  record Orders() implements Request {}

  /** Begins a checkpoint whose completion does not commit it: {@link Decide} does. */
  @Wire(type = 24)
  record Hold(long checkpoint, int ranks) implements Request {}

  /**
   * Decides about a checkpoint begun by {@link Hold}. A checkpoint that was decided, or that this
   * I/O process does not know, stays as it is.
   *
   * @param commit 1 to commit it once it is complete, 0 to drop it with its images
   */
  @Wire(type = 25)
  record Decide(long checkpoint, @Wire.Means("1 commits it, 0 drops it") int commit)
      implements Request {}

  /**
   * Says that some bytes of an image are those of the image of the same rank and name in an earlier
   * checkpoint. These bytes need not be written then. A further request adds more.
   *
   * @param imageId an image that a rank made by {@link Create} and has open
   * @param pieces the bytes
   */
  @Wire(type = 26)
  record Reuse(
      long base,
      int imageId,
      @Wire.Means("offset i64 and length i64 of each run, ascending") String pieces)
      implements Request {}

  /**
   * Adds a file to a checkpoint that the process fills, or a name that a file is going to have.
   *
   * @param path absolute path of the file, without symbolic links
   */
  @Wire(
      type = 28,
      reply = Reply.Text.class,
      replyMeans =
          "empty; otherwise the file is not captured, and the client creates an image of this name"
              + " with its bytes")
  record Add(long checkpoint, int rank, String path) implements Request {}

  /** Gives up a checkpoint that the process fills; its files become plain files. */
  @Wire(type = 29)
  record Cancel(long checkpoint) implements Request {}

  /**
   * Asks that all files of a committed checkpoint be restored into a directory.
   *
   * @param checkpoint the checkpoint's number, -1 for the newest
   * @param directory absolute path of the directory
   */
  @Wire(
      type = 30,
      replyMeans =
          "empty, once all files are there; a file that is there already as committed stays, another"
              + " one is refused")
  record Restore(@Wire.Means("-1 the newest") long checkpoint, String directory)
      implements Request {}

  /**
   * Gives a checkpoint that the process has begun a name beside its number.
   *
   * @param name the same of all ranks that give one
   */
  @Wire(type = 31, replyMeans = "empty; `-EEXIST` where a rank has given it another name")
  record Name(long checkpoint, String name) implements Request {}

  /** Asks for the number of the checkpoint that was committed last of those of a name. */
  @Wire(
      type = 37,
      reply = Reply.Checkpoints.class,
      replyMeans = "one; `-ENOENT` where none is called so")
  record Find(String name) implements Request {}

  /**
   * Asks for the name of a committed checkpoint.
   *
   * @param checkpoint the checkpoint's number, -1 for the newest
   */
  @Wire(type = 38, reply = Reply.Text.class, replyMeans = "empty where it has none")
  record NameOf(@Wire.Means("-1 the newest") long checkpoint) implements Request {}

  /**
   * Joins the I/O process as a member that keeps it alive.
   *
   * @param version version of the format the client speaks
   * @param store the store that it wants: an absolute path or a URI
   */
  @Wire(
      type = 32,
      replyMeans =
          "empty; counts as a member until LEAVE or end of file. EBUSY where the store is another")
  record Join(int version, String store) implements Request {}

  /**
   * Ends a membership.
   *
   * @param exitStatus the exit status of the member's command
   */
  @Wire(
      type = 33,
      replyMeans = "empty; for the last member only after everything is drained and committed")
  record Leave(int exitStatus) implements Request {}

  /** Asks for the statistics. */
  @Wire(type = 34, reply = Reply.Text.class, replyMeans = "JSON")
  record Stats() implements Request {}

  /**
   * Asks for the threshold, and changes it before if there is a policy.
   *
   * @param policy {@code HeaderDescriptor.POLICY_*}, or 0 to change nothing
   * @param bytes the size from which on writes go direct, with the fixed policy
   */
  @Wire(type = 35, reply = Reply.Threshold.class)
  record Threshold(@Wire.Means(value = "0 to change nothing", padded = true) int policy, long bytes)
      implements Request {}

  /**
   * Says that the job is to stop. No reply.
   *
   * @param grace the milliseconds since the job was told so, and 1 more: the session's time begins
   *     then, unless it runs already; 0 when that is over
   */
  @Wire(type = 36, told = true, replyMeans = "none; what is not committed in time is kept")
  record Preempt(@Wire.Means("0 ends it, n begins it n - 1 milliseconds ago") int grace)
      implements Request {}

  default boolean hasReply() {
    return !Bodies.isTold(this);
  }

  /**
   * @param buffer the destination; {@link RequestDescriptor#MAX_LENGTH} bytes must fit
   * @throws ProtocolException when it would be too long for a frame
   */
  default int encode(final MutableDirectBuffer buffer, final int offset) throws ProtocolException {
    final FrameWriter frame = new FrameWriter(buffer, offset);
    Bodies.put(this, frame);
    return frame.finish();
  }

  /**
   * Only the version is read of a request in another version of the format, so that the sender can
   * be told.
   *
   * @param length its length, as {@link Frames#length} returned it
   * @throws ProtocolException when the type is unknown, or a field does not fit the frame
   */
  static Request decode(final DirectBuffer buffer, final int offset, final int length)
      throws ProtocolException {
    final FrameReader frame = new FrameReader(buffer, offset, length);
    final Request request = Bodies.get(frame.typeOrStatus(), frame);
    frame.finish();
    return request;
  }
}
