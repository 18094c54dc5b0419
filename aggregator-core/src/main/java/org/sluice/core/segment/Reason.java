package org.sluice.core.segment;

import java.util.Arrays;

/**
 * The reason why bytes did not go through the buffer. Segments and requests have its position, so a
 * new reason goes to the end of its kind, with a new version of the segment.
 */
public enum Reason {
  NONE("none", "logged"),
  THRESHOLD("threshold", "at or above the threshold"),
  FULL("full", "because the buffer was filling up, or had no memory yet (see --buffer)"),
  /** Two openings: one log cannot follow both. */
  SHARED("shared", "in files open twice, or in a second process"),
  /** A file that is read or synchronised with little written between, or opened like a database. */
  READ("read", "in files opened to be read as well, or synchronised again and again"),
  MMAP("mmap", "by mmap", true),
  SENDFILE("sendfile", "by sendfile"),
  SPLICE("splice", "by splice"),
  COPY_FILE_RANGE("copy_file_range", "by copy_file_range"),
  AIO("aio", "by aio", true),
  IO_URING("io_uring", "by io_uring", true),
  /** A process opened the file so that each write reaches stable storage. */
  SYNC("o_sync", "with O_SYNC or O_DSYNC"),
  O_DIRECT("o_direct", "with O_DIRECT"),
  /** A lock or a lease depends on the position or the size that the kernel knows. */
  LOCK("lock", "with a lock or a lease from the file's offset or end"),
  /** Two processes share the position in the file. */
  FORK("fork", "after fork, exec or spawn with the file open", true),
  PASSED("passed", "through descriptors passed between processes", true),
  STREAM("stream", "as standard output or by streams of the C library's own", true),
  SYSCALL("syscall", "by system calls by number", true),
  /** A call changes more of the file than its bytes. */
  CONTROL("control", "after fallocate, ioctl, futimens or writes with flags"),
  /** Only the kernel can refuse a write near the largest size rightly. */
  LIMIT("limit", "near or beyond the largest file allowed"),
  SIGNAL("signal", "in signal handlers"),
  FOREIGN("foreign", "in files that a program or library without the shim had open", true),
  LOST("lost", "after a restore, or the end of the I/O process", true),
  OTHER("other", "for other reasons"),
  /** Ranks on other nodes may have the file open. */
  NODES("nodes", "in files that other nodes may write, too (see --group, --private)"),
  /** The file is of no checkpoint, in the container layout. */
  UNGROUPED("ungrouped", "in files that are in no checkpoint (see --group)"),

  /** The file was there before, and was not emptied. */
  EXISTING("existing", "in files that were there when they were opened", Kind.PLAIN),
  /** The I/O process may not open the file, which it has to. */
  REFUSED("refused", "in files that the I/O process may not open", Kind.PLAIN),
  /** No descriptor is left, of which every open image takes one. */
  TOO_MANY("too_many", "in files beyond the most at a time (see ulimit -Hn)", Kind.PLAIN),
  /** The process has no slot, or no room to follow the file. */
  UNATTACHED("unattached", "in files that their process could not announce", Kind.PLAIN),
  /** The file was renamed away, replaced, or has no name. */
  ELSEWHERE(
      "elsewhere", "in files that left the capture directory as they were opened", Kind.PLAIN),
  /** The path is longer than the kernel's limit for telling it. */
  TOO_DEEP("too_deep", "in files whose paths are longer than 4095 bytes", Kind.PLAIN),
  /** The file has not grown large enough for an image. */
  SMALL("small", "in small files and the beginnings of others (see --small)", Kind.PLAIN),
  /** The table has no entry left, of which every image takes one, whether it is open or not. */
  NO_ENTRY("no_entry", "in files beyond the most of a session (see --max-files)", Kind.PLAIN);

  /** Counters by reason that a slot has. */
  public static final int MOST = 40;

  private static final Reason[] ALL = values();

  private enum Kind {
    DIRECT,
    UNSEEN,
    PLAIN
  }

  private final String key;
  private final String text;
  private final Kind kind;

  Reason(final String key, final String text) {
    this(key, text, Kind.DIRECT);
  }

  Reason(final String key, final String text, final boolean unseen) {
    this(key, text, unseen ? Kind.UNSEEN : Kind.DIRECT);
  }

  Reason(final String key, final String text, final Kind kind) {
    this.key = key;
    this.text = text;
    this.kind = kind;
  }

  /** Returns the name in statistics, in lower case, stable. */
  public String key() {
    return key;
  }

  /** Returns a clause for users, behind a number of bytes. */
  public String text() {
    return text;
  }

  /** Tells whether the kernel may write bytes for this reason that no process can count. */
  public boolean isUnseen() {
    return kind == Kind.UNSEEN;
  }

  /** Tells whether the reason's files are no images. */
  public boolean isPlain() {
    return kind == Kind.PLAIN;
  }

  /** The reason of a position in segments and requests; {@link #OTHER} for nonsense. */
  public static Reason of(final int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : OTHER;
  }

  /** The first reason of a set whose bytes nobody can count; {@link #NONE} for none. */
  public static Reason unseen(final long set) {
    return Arrays.stream(ALL)
        .filter(each -> each.isUnseen() && (set >> each.ordinal() & 1) != 0)
        .findFirst()
        .orElse(NONE);
  }

  /** Returns a bit for each reason whose bytes no process can count, by position. */
  public static long unseenSet() {
    return Arrays.stream(ALL).filter(Reason::isUnseen).mapToLong(r -> 1L << r.ordinal()).sum();
  }
}
