package org.sluice.core.store.disk;

/**
 * How a file system is written to.
 *
 * @param direct whether past the page cache, where the file system can
 * @param inFlight how many writes are under way at a time, 1 to {@value #MOST_IN_FLIGHT}
 * @param length bytes of one write, where so many are there
 */
public record WriteMode(boolean direct, int inFlight, int length) {
  /** More are no faster anywhere, and keep more of the buffer from the ranks. */
  public static final int MOST_IN_FLIGHT = 16;

  /**
   * For a disk of this node: what it takes at once. Larger writes are no faster, nor are several.
   */
  public static final WriteMode LOCAL = new WriteMode(true, 1, 4 << 20);

  /**
   * For images' own files on storage far away. Each has a latency of its own, so several are
   * written and synchronised at a time, as processes without Sluice would do.
   */
  public static final WriteMode FAR_FILES = new WriteMode(false, 8, 1 << 20);

  /**
   * What is gathered before it is written.
   *
   * @return bytes
   */
  public long gathered() {
    return (long) inFlight * length;
  }

  /**
   * What a user reads.
   *
   * @return such as {@code direct, 8 writes of 1 MiB at a time}
   */
  @Override
  public String toString() {
    return "%s, %d %s of %d KiB at a time"
        .formatted(
            direct ? "direct" : "buffered",
            inFlight,
            inFlight == 1 ? "write" : "writes",
            length >> 10);
  }
}
