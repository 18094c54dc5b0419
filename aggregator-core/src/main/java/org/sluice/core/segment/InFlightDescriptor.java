package org.sluice.core.segment;

/**
 * Layout of the file that says what the threads of an I/O process handle, as far as others read it.
 */
public final class InFlightDescriptor {
  /** {@code SLUICEIF} read as a little-endian 64-bit integer. */
  public static final long MAGIC = 0x4649_4543_4955_4C53L;

  /** Version of the file. */
  public static final int VERSION = 1;

  /** Offset of the magic, 64 bits. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the version, 32 bits. */
  public static final int VERSION_OFFSET = 8;

  /**
   * Offset of which thread failed, 32 bits: the number of its lane from 1, -1 for a thread that has
   * none; 0 when none failed.
   */
  public static final int FAILED_OFFSET = 12;

  /** Offset of the session's id, 64 bits. */
  public static final int SESSION_OFFSET = 16;

  /** Offset of the count of what no I/O process of the session has to do again, 64 bits. */
  public static final int PROGRESS_OFFSET = 24;

  private InFlightDescriptor() {}
}
