package org.sluice.iop.measure;

/** An event or amount that the I/O process counts. */
public enum Occurrence {
  FILES,
  /** Files that went direct, since ranks on other nodes may write them, too. */
  SHARED_FILES,
  /** Files that a program outside Sluice opened before all their bytes were in them. */
  OPENED_EARLY,
  /** Used bytes of chunks that entered the drain. */
  PUBLISHED_BYTES,
  /** Used bytes of chunks that left the drain. */
  DRAINED_BYTES
}
