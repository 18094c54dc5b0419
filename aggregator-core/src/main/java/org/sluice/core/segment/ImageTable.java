package org.sluice.core.segment;

import org.agrona.concurrent.AtomicBuffer;

/**
 * The table of images, by device and inode.
 *
 * <p>One thread of the I/O process inserts, changes and removes entries; the size alone is written
 * by the process that diverts the image, and the error by the drain. Any thread of any process
 * looks entries up without a lock. Such a reader may meet an entry that is being reused for another
 * image, so it takes what it wants, each load with acquire order, and then compares state, device
 * and inode once more. The inserter stores the identity first and the state last, the remover
 * stores the state first, all with release order: a reader that got anything of a new image also
 * sees the new identity and finds that it differs.
 */
public final class ImageTable {
  private final Header header;
  final AtomicBuffer entries;
  private final int count;

  ImageTable(final AtomicBuffer entries, final Header header) {
    this.header = header;
    this.entries = entries;
    this.count = entries.capacity() / ImageDescriptor.LENGTH;
  }

  /**
   * How many entries there are.
   *
   * @return the count, a power of two
   */
  public int count() {
    return count;
  }

  /**
   * Enters an image. I/O process only.
   *
   * @param device {@code major << 32 | minor}
   * @param inode inode number
   * @param imageId unique in the session, from 1
   * @param state the first state
   * @param size the logical size in bytes
   * @return index of the entry; -1 when both of the image's buckets are full
   */
  public int insert(
      final long device, final long inode, final int imageId, final int state, final long size) {
    final int first = ImageDescriptor.first(device, inode, count);
    final int second = ImageDescriptor.second(device, inode, count);
    final int entry = findFree(countFree(first) >= countFree(second) ? first : second);
    if (entry >= 0) {
      identify(entry, device, inode);
      entries.putIntRelease(offset(entry) + ImageDescriptor.IMAGE_ID_OFFSET, imageId);
      error(entry, 0);
      reason(entry, Reason.NONE);
      entries.putLongRelease(offset(entry) + ImageDescriptor.DIRECT_BYTES_OFFSET, 0);
      entries.putLongRelease(offset(entry) + ImageDescriptor.UNSEEN_OFFSET, 0);
      size(entry, size);
      state(entry, state);
    }
    return entry;
  }

  private int countFree(final int bucket) {
    int free = 0;
    for (int entry = bucket; entry < bucket + ImageDescriptor.BUCKET_LENGTH; entry++) {
      free += state(entry) == ImageDescriptor.STATE_FREE ? 1 : 0;
    }
    return free;
  }

  private int findFree(final int bucket) {
    for (int entry = bucket; entry < bucket + ImageDescriptor.BUCKET_LENGTH; entry++) {
      if (state(entry) == ImageDescriptor.STATE_FREE) {
        return entry;
      }
    }
    return -1;
  }

  /**
   * Gives an entry another identity, by which nobody finds it. I/O process only.
   *
   * @param entry index of the entry
   * @param device {@code major << 32 | minor}
   * @param inode inode number
   */
  public void identify(final int entry, final long device, final long inode) {
    final int offset = offset(entry);
    entries.putLongRelease(offset + ImageDescriptor.DEVICE_OFFSET, device);
    entries.putLongRelease(offset + ImageDescriptor.INODE_OFFSET, inode);
  }

  /**
   * Frees an entry. I/O process only.
   *
   * @param entry index of the entry
   */
  public void remove(final int entry) {
    state(entry, ImageDescriptor.STATE_FREE);
  }

  /**
   * The state of an entry, read with acquire order.
   *
   * @param entry index of the entry
   * @return {@link ImageDescriptor#STATE_FREE} or one of its siblings
   */
  public int state(final int entry) {
    return entries.getIntVolatile(offset(entry) + ImageDescriptor.STATE_OFFSET);
  }

  /**
   * Changes the state of an entry; a full fence follows the store, and after DIRECT a {@link
   * Header#fence}. I/O process only.
   *
   * @param entry index of the entry
   * @param state the new state
   */
  public void state(final int entry, final int state) {
    entries.putIntVolatile(offset(entry) + ImageDescriptor.STATE_OFFSET, state);
    if (state == ImageDescriptor.STATE_DIRECT) {
      header.fence();
    }
  }

  /**
   * The image of an entry.
   *
   * @param entry index of the entry
   * @return the image's id
   */
  public int imageId(final int entry) {
    return entries.getIntAcquire(offset(entry) + ImageDescriptor.IMAGE_ID_OFFSET);
  }

  /**
   * The logical size in an entry.
   *
   * @param entry index of the entry
   * @return bytes; meaningful while diverted or committed
   */
  public long size(final int entry) {
    return entries.getLongAcquire(offset(entry) + ImageDescriptor.SIZE_OFFSET);
  }

  /**
   * Sets the logical size: the process that diverts the image, or the I/O process when none does.
   *
   * @param entry index of the entry
   * @param size bytes
   */
  public void size(final int entry, final long size) {
    entries.putLongRelease(offset(entry) + ImageDescriptor.SIZE_OFFSET, size);
  }

  /**
   * The first storage error that the drain met on the image.
   *
   * @param entry index of the entry
   * @return an errno; 0 for none
   */
  public int error(final int entry) {
    return entries.getIntAcquire(offset(entry) + ImageDescriptor.ERROR_OFFSET);
  }

  /**
   * Records a storage error. I/O process only.
   *
   * @param entry index of the entry
   * @param errno an errno; 0 for none
   */
  public void error(final int entry, final int errno) {
    entries.putIntRelease(offset(entry) + ImageDescriptor.ERROR_OFFSET, errno);
  }

  /**
   * Says why an image is direct, before its state does. I/O process only.
   *
   * @param entry index of the entry
   * @param reason why; {@link Reason#NONE} when it is not
   */
  public void reason(final int entry, final Reason reason) {
    entries.putIntRelease(offset(entry) + ImageDescriptor.REASON_OFFSET, reason.ordinal());
  }

  /**
   * Why an image is direct.
   *
   * @param entry index of the entry
   * @return {@link Reason#NONE} when it never was
   */
  public Reason reason(final int entry) {
    return Reason.of(entries.getIntAcquire(offset(entry) + ImageDescriptor.REASON_OFFSET));
  }

  /**
   * What processes have counted of what they wrote to an image's own file.
   *
   * @param entry index of the entry
   * @return bytes
   */
  public long directBytes(final int entry) {
    return entries.getLongVolatile(offset(entry) + ImageDescriptor.DIRECT_BYTES_OFFSET);
  }

  /**
   * For which reasons bytes of an image may be in its file that nobody counted.
   *
   * @param entry index of the entry
   * @return a bit for each {@link Reason}
   */
  public long unseen(final int entry) {
    return entries.getLongVolatile(offset(entry) + ImageDescriptor.UNSEEN_OFFSET);
  }

  private static int offset(final int entry) {
    return entry * ImageDescriptor.LENGTH;
  }
}
