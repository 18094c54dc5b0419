package org.sluice.core.store.disk;

/**
 * The way in which a file system is written to.
 *
 * @param direct true to write past the page cache, where the file system can
 * @param inFlight number of writes under way at a time, 1 to {@value #MOST_IN_FLIGHT}
 * @param length bytes of one write, where so many are there
 */
public record WriteMode(boolean direct, int inFlight, int length) {
  /**
   * The most writes at a time. More are no faster anywhere, and keep more of the buffer from the
   * ranks.
   */
  public static final int MOST_IN_FLIGHT = 16;

  /**
   * The way for a disk of this node: as much as the disk takes at once. Larger writes are no
   * faster, nor are several.
   */
  public static final WriteMode LOCAL = new WriteMode(true, 1, 4 << 20);

  /**
   * The way for images' own files on storage of other nodes. Each request has a latency of its own,
   * so several files are written and synchronised at a time, as by processes without Sluice.
   */
  public static final WriteMode FAR_FILES = new WriteMode(false, 8, 1 << 20);

  /** Returns the bytes that are gathered before they are written. */
  public long gathered() {
    return (long) inFlight * length;
  }

  /** Returns the way as a user reads it, such as {@code direct, 8 writes of 1 MiB at a time}. */
  @Override
  public String toString() {
    return "%s, %d %s of %d KiB at a time"
        .formatted(
            direct ? "direct" : "buffered",
            inFlight,
            inFlight == 1 ? "write" : "writes",
            length >> 10);
  }

  // These methods are written out, as the JVM links those of a record anew at each start, which
  // takes milliseconds.

  @Override
  public boolean equals(final Object other) {
    return other instanceof final WriteMode mode
        && mode.direct == direct
        && mode.inFlight == inFlight
        && mode.length == length;
  }

  @Override
  public int hashCode() {
    return inFlight * 31 + length;
  }
}
