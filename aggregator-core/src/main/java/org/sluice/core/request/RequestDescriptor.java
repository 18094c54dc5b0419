package org.sluice.core.request;

/**
 * Types and flags of the requests; {@code docs/format.md} lists their bodies.
 *
 * <pre>
 *  +---------------+---------------+-------------------------------+
 *  | frame length  | type, status  | body ...
 *  +---------------+---------------+-------------------------------+
 * </pre>
 */
public final class RequestDescriptor {
  /** Bytes of a frame before its body. */
  public static final int HEADER_LENGTH = 8;

  /** Longest frame, in bytes. */
  public static final int MAX_LENGTH = 64 * 1024;

  /** Offset of the frame's length, 32 bits. */
  public static final int LENGTH_OFFSET = 0;

  /** Offset of a request's type, 32 bits. */
  public static final int TYPE_OFFSET = 4;

  /** Offset of a reply's status, 32 bits: 0 or a negative errno. */
  public static final int STATUS_OFFSET = 4;

  /** Takes a slot. */
  public static final int ATTACH = 1;

  /** Announces an opened file. */
  public static final int OPEN = 2;

  /** Asks that the image's own file hold everything. */
  public static final int SETTLE = 4;

  /** Asks that everything written be on stable storage. */
  public static final int SYNC = 5;

  /** Says that an image may have a new name; no reply. */
  public static final int RENAMED = 6;

  /** Asks that a path no longer name a committed inode. */
  public static final int REPLACE = 7;

  /** The doorbell; no reply. */
  public static final int WAKE = 8;

  /** Takes a slot again after the I/O process was killed and resumed. */
  public static final int RESUME = 9;

  /** Begins a checkpoint. */
  public static final int BEGIN = 16;

  /** Creates an image of a checkpoint. */
  public static final int CREATE = 17;

  /** Says that a rank has written all its images of a checkpoint. */
  public static final int COMPLETE = 18;

  /** Waits until a checkpoint is committed. */
  public static final int WAIT = 19;

  /** Lists committed checkpoints. */
  public static final int LIST = 20;

  /** Asks for a rebuilt copy of a committed image. */
  public static final int RESTART = 21;

  /** Joins the I/O process as a member that keeps it alive. */
  public static final int JOIN = 32;

  /** Ends a membership. */
  public static final int LEAVE = 33;

  /** Asks for the statistics. */
  public static final int STATS = 34;

  /** Asks for the threshold, or changes it. */
  public static final int THRESHOLD = 35;

  /** OPEN: the file was created or truncated to nothing. */
  public static final int OPEN_CREATED = 1;

  /** OPEN: the file was opened for writing. */
  public static final int OPEN_WRITE = 2;

  /** OPEN: the writes must go to the file itself. */
  public static final int OPEN_DIRECT = 4;

  /** OPEN: the flags above this bit are the reason for OPEN_DIRECT. */
  public static final int OPEN_REASON_SHIFT = 8;

  /** SETTLE, beside the reason: only programs have the file open until all have closed it. */
  public static final int SETTLE_LET_GO = 256;

  /** REPLACE: the file is about to be truncated, its content is not needed. */
  public static final int REPLACE_TRUNCATE = 1;

  /**
   * REPLACE: the file stays where it is and is about to be opened; only its lease is in the way.
   */
  public static final int REPLACE_NONE = 2;

  /** Disposition: not an image. */
  public static final int PLAIN = 0;

  /** Disposition: an image that is read and written through the kernel. */
  public static final int DIRECT = 1;

  /** Disposition: an image whose writes are appended to the log. */
  public static final int DIVERT = 2;

  private RequestDescriptor() {}
}
