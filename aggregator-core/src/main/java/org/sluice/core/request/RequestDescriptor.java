package org.sluice.core.request;

/**
 * Frames of requests and replies, and flags of requests; {@link Request} has their types and
 * bodies.
 *
 * <pre>
 *  +---------------+---------------+-------------------------------+
 *  | frame length  | type, status  | body ...
 *  +---------------+---------------+-------------------------------+
 * </pre>
 */
public final class RequestDescriptor {
  public static final int HEADER_LENGTH = 8;

  /** Longest frame, in bytes. */
  public static final int MAX_LENGTH = 64 * 1024;

  /** Offset of the frame's length, 32 bits. */
  public static final int LENGTH_OFFSET = 0;

  /** Offset of a request's type, 32 bits. */
  public static final int TYPE_OFFSET = 4;

  /** Offset of a reply's status, 32 bits: 0 or a negative errno. */
  public static final int STATUS_OFFSET = 4;

  /** OPEN: the file was created or truncated to nothing. */
  public static final int OPEN_CREATED = 1;

  /** OPEN: the file was opened for writing. */
  public static final int OPEN_WRITE = 2;

  /** OPEN: the writes must go to the file itself. */
  public static final int OPEN_DIRECT = 4;

  /** OPEN: the file was created, and has grown since. */
  public static final int OPEN_GROWN = 8;

  /** OPEN: this opening made the file, beside OPEN_CREATED: it emptied none that was there. */
  public static final int OPEN_MADE = 16;

  /** OPEN: the file that was opened is empty, and may be another process's that creates it. */
  public static final int OPEN_EMPTY = 32;

  /** OPEN: MPI_File_open opened the file, which other ranks have open as well. */
  public static final int OPEN_MPI = 64;

  /** OPEN: the flags above this bit are the reason for OPEN_DIRECT. */
  public static final int OPEN_REASON_SHIFT = 8;

  /** SETTLE, beside the reason: only programs have the file open until all have closed it. */
  public static final int SETTLE_LET_GO = 256;

  /** REPLACE: the file is about to be truncated, its content is not needed. */
  public static final int REPLACE_TRUNCATE = 1;

  /** REPLACE: the file keeps its name and is about to be opened; only its lease is in the way. */
  public static final int REPLACE_NONE = 2;

  /**
   * REPLACE: nothing is replaced; a directory was renamed, or a file has another name, the path.
   */
  public static final int REPLACE_MOVED = 4;

  /**
   * REPLACE, beside REPLACE_MOVED: the file or directory was outside the capture directory before.
   */
  public static final int REPLACE_ARRIVED = 8;

  /**
   * REPLACE: nothing is replaced. A program that opens files past the shim may come next; it finds
   * closed files whole, or waits until they are.
   */
  public static final int REPLACE_HOLD = 16;

  /** Disposition: not an image. */
  public static final int PLAIN = 0;

  /** Disposition: an image that is read and written through the kernel. */
  public static final int DIRECT = 1;

  /** Disposition: an image whose writes are appended to the log. */
  public static final int DIVERT = 2;

  private RequestDescriptor() {}
}
