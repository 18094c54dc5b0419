package org.sluice.core.segment;

/**
 * Layout of an entry of the image table, and where an image stands in it.
 *
 * <pre>
 *  +---------------+---------------+-------------------------------+
 *  | state         | image id      | device                        | 0
 *  +---------------+---------------+-------------------------------+
 *  | inode                         | size                          | 16
 *  +---------------+---------------+-------------------------------+
 *  | error         | reason        | direct bytes                  | 32
 *  +---------------+---------------+-------------------------------+
 *  | unseen                        |                               | 48
 *  +-------------------------------+-------------------------------+
 * </pre>
 *
 * The size is written by the one process that diverts the image, or by the I/O process when nobody
 * does; direct bytes and unseen by any process that has it open; everything else by the I/O
 * process. A reader takes the size and then compares state, device and inode once more.
 */
public final class ImageDescriptor {
  /** Bytes of an entry. */
  public static final int LENGTH = 64;

  /** Entries of a bucket. */
  public static final int BUCKET_LENGTH = 16;

  /** Offset of the state, 32 bits. */
  public static final int STATE_OFFSET = 0;

  /** Offset of the image id, 32 bits, unique in the session, from 1. */
  public static final int IMAGE_ID_OFFSET = STATE_OFFSET + 4;

  /** Offset of the device, 64 bits, {@code major << 32 | minor}. */
  public static final int DEVICE_OFFSET = IMAGE_ID_OFFSET + 4;

  /** Offset of the inode number, 64 bits. */
  public static final int INODE_OFFSET = DEVICE_OFFSET + 8;

  /** Offset of the logical size, 64 bits. */
  public static final int SIZE_OFFSET = INODE_OFFSET + 8;

  /** Offset of the errno of the first storage error, 32 bits. */
  public static final int ERROR_OFFSET = SIZE_OFFSET + 8;

  /** Offset of why the image is direct, a {@link Reason}, 32 bits. */
  public static final int REASON_OFFSET = ERROR_OFFSET + 4;

  /** Offset of the bytes that processes wrote to the image's own file and counted, 64 bits. */
  public static final int DIRECT_BYTES_OFFSET = REASON_OFFSET + 4;

  /**
   * Offset of the set of reasons for which the kernel may have written bytes that nobody counted, a
   * bit for each {@link Reason}, 64 bits.
   */
  public static final int UNSEEN_OFFSET = DIRECT_BYTES_OFFSET + 8;

  /** State: no image. */
  public static final int STATE_FREE = 0;

  /** State: one process appends the image's writes to the log. */
  public static final int STATE_DIVERTED = 1;

  /** State: the image's own file holds everything. */
  public static final int STATE_DIRECT = 2;

  /** State: the inode belongs to a committed checkpoint. */
  public static final int STATE_COMMITTED = 3;

  private static final long GOLDEN_RATIO = 0x9E37_79B9_7F4A_7C15L;

  private ImageDescriptor() {}

  /**
   * The first entry of the bucket an image belongs to.
   *
   * @param device {@code major << 32 | minor}
   * @param inode inode number
   * @param count entries of the table, a power of two and a multiple of {@link #BUCKET_LENGTH}
   * @return index of the bucket's first entry
   */
  public static int bucket(final long device, final long inode, final int count) {
    final long product = inode * GOLDEN_RATIO ^ device;
    final long hash = product ^ product >>> 32;
    return (int) (hash & (count / BUCKET_LENGTH - 1)) * BUCKET_LENGTH;
  }
}
