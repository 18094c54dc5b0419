package org.sluice.core.segment;

import java.util.function.IntPredicate;
import org.agrona.concurrent.AtomicBuffer;

/**
 * The table of images, by device and inode.
 *
 * <p>A single thread of the I/O process inserts, changes and removes entries. The process that
 * diverts an image writes the size alone, and the drain the error. A process that creates a file
 * takes an entry and fills it as well, see {@link Creations}; a compare-and-set decides who gets a
 * free entry. Any thread of any process looks entries up without a lock. Such a reader may meet an
 * entry that is being reused for another image. So it takes its values, each load with acquire
 * order, and then compares state, device and inode once more. The inserter stores the identity
 * first and the state last, the remover stores the state first, all with release order: a reader
 * that got anything of a new image also sees the new identity and finds that it differs.
 */
public final class ImageTable {
  /** The I/O process, in the place of a slot. */
  private static final int NOBODY = 0xFF_FFFF;

  private final Header header;
  final AtomicBuffer entries;
  private final int count;

  ImageTable(final AtomicBuffer entries, final Header header) {
    this.header = header;
    this.entries = entries;
    this.count = entries.capacity() / ImageDescriptor.LENGTH;
  }

  /** Returns the number of entries, a power of two. */
  public int count() {
    return count;
  }

  /**
   * I/O process only.
   *
   * @param device {@code major << 32 | minor}
   * @param imageId unique in the session, from 1
   * @param size the logical size in bytes
   * @return index of the entry; -1 when both of the image's buckets are full
   */
  public int insert(
      final long device, final long inode, final int imageId, final int state, final long size) {
    final int first = ImageDescriptor.first(device, inode, count);
    final int second = ImageDescriptor.second(device, inode, count);
    final int entry = takeFree(countFree(first) >= countFree(second) ? first : second);
    if (entry >= 0) {
      identify(entry, device, inode);
      entries.putIntRelease(offset(entry) + ImageDescriptor.IMAGE_ID_OFFSET, imageId);
      error(entry, 0);
      reason(entry, Reason.NONE);
      entries.putLongRelease(offset(entry) + ImageDescriptor.DIRECT_BYTES_OFFSET, 0);
      entries.putLongRelease(offset(entry) + ImageDescriptor.UNSEEN_OFFSET, 0);
      taken(entry);
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

  private int takeFree(final int bucket) {
    for (int entry = bucket; entry < bucket + ImageDescriptor.BUCKET_LENGTH; entry++) {
      if (entries.compareAndSetInt(
          offset(entry) + ImageDescriptor.STATE_OFFSET,
          ImageDescriptor.STATE_FREE,
          entering(NOBODY))) {
        return entry;
      }
    }
    return -1;
  }

  private static int entering(final int slot) {
    return slot << ImageDescriptor.STATE_SLOT_SHIFT | ImageDescriptor.STATE_ENTERING;
  }

  private static int contested(final int slot) {
    return slot << ImageDescriptor.STATE_SLOT_SHIFT | ImageDescriptor.STATE_CONTESTED;
  }

  /** Makes a process ask for the image that it is about to enter; false when it has entered it. */
  boolean contest(final int entry, final int slot) {
    return entry >= 0
        && entry < count
        && (entries.compareAndSetInt(
                offset(entry) + ImageDescriptor.STATE_OFFSET, entering(slot), contested(slot))
            || state(entry) == contested(slot));
  }

  /**
   * Tells whether the process of a slot enters an image, and no other has kept it from that; false
   * when it has entered it, or has to ask for it.
   */
  public boolean isEntering(final int entry, final int slot) {
    return state(entry) == entering(slot);
  }

  /**
   * Tells whether the process of a slot is about to enter an image; true also when it has to ask
   * for it.
   */
  public boolean isBeingEntered(final int entry, final int slot) {
    final int state = state(entry);
    return state == entering(slot) || state == contested(slot);
  }

  /**
   * Returns the slot of the process whose ring has an image's OPEN, or is going to; -1 for none.
   */
  public int creator(final int entry) {
    return creator(entry, state(entry));
  }

  private int creator(final int entry, final int state) {
    final int kind = state & ImageDescriptor.STATE_MASK;
    return kind == ImageDescriptor.STATE_ENTERING || kind == ImageDescriptor.STATE_CONTESTED
        ? state >>> ImageDescriptor.STATE_SLOT_SHIFT
        : Math.abs(rawCreator(entry)) - 1;
  }

  private int rawCreator(final int entry) {
    return entries.getIntAcquire(offset(entry) + ImageDescriptor.CREATOR_OFFSET);
  }

  /**
   * Tells whether a process has deleted the file of a direct image before the image was taken;
   * false also when a program outside Sluice has.
   */
  public boolean isDeleted(final int entry) {
    return rawCreator(entry) < 0;
  }

  /**
   * Returns the low half of the nanoseconds since 1970 at which an entered image's file was
   * created; 0 where the file system does not tell.
   */
  public int born(final int entry) {
    return entries.getIntVolatile(offset(entry) + ImageDescriptor.BORN_OFFSET);
  }

  /** Notes that the image was taken from the ring of its process. I/O process only. */
  public void taken(final int entry) {
    entries.putIntRelease(offset(entry) + ImageDescriptor.CREATOR_OFFSET, 0);
  }

  /**
   * Fails images that a process has entered, and that nobody is going to take. The process asks for
   * the one that it is about to enter. I/O process only.
   */
  public void failUntaken(final int slot, final int errno) {
    for (int entry = 0; entry < count; entry++) {
      contest(entry, slot);
      if (state(entry) == ImageDescriptor.STATE_DIVERTED && creator(entry) == slot) {
        error(entry, errno);
      }
    }
  }

  boolean isOf(final int entry, final long device, final long inode) {
    return device(entry) == device && inode(entry) == inode;
  }

  /** Returns {@code major << 32 | minor}. */
  public long device(final int entry) {
    return entries.getLongAcquire(offset(entry) + ImageDescriptor.DEVICE_OFFSET);
  }

  public long inode(final int entry) {
    return entries.getLongAcquire(offset(entry) + ImageDescriptor.INODE_OFFSET);
  }

  /**
   * Takes an id for an image, which may be in use where a process wrote nonsense; less than 1 for
   * nonsense.
   */
  public int nextId() {
    return header.nextImage();
  }

  /** Returns the highest id that was taken; 0 for none. */
  public int lastId() {
    return header.lastImage();
  }

  /** Sets the highest id that was taken. I/O process only. */
  public void lastId(final int id) {
    header.lastImage(id);
  }

  /**
   * Gives an entry another identity, by which nobody finds it. I/O process only.
   *
   * @param device {@code major << 32 | minor}
   */
  public void identify(final int entry, final long device, final long inode) {
    final int offset = offset(entry);
    entries.putLongRelease(offset + ImageDescriptor.DEVICE_OFFSET, device);
    entries.putLongRelease(offset + ImageDescriptor.INODE_OFFSET, inode);
  }

  /** I/O process only. */
  public void remove(final int entry) {
    state(entry, ImageDescriptor.STATE_FREE);
  }

  /**
   * Frees an entry of a creator's. Its process may give it back at the same time, and another one
   * take it, which then keeps it. I/O process only.
   *
   * @param whose test for the creator's slot; -1 where no process is
   */
  public void removeOf(final int entry, final IntPredicate whose) {
    int state;
    do {
      state = state(entry);
    } while (state != ImageDescriptor.STATE_FREE
        && whose.test(creator(entry, state))
        && !free(entry, state));
  }

  private boolean free(final int entry, final int state) {
    return entries.compareAndSetInt(
        offset(entry) + ImageDescriptor.STATE_OFFSET, state, ImageDescriptor.STATE_FREE);
  }

  /** Frees the entry that a process is about to enter, unless it gives it back itself. */
  void abandon(final int entry, final int slot) {
    if (!free(entry, entering(slot))) {
      free(entry, contested(slot));
    }
  }

  /**
   * The state of an entry, read with acquire order; {@link ImageDescriptor#STATE_FREE} or one of
   * its siblings.
   */
  public int state(final int entry) {
    return entries.getIntVolatile(offset(entry) + ImageDescriptor.STATE_OFFSET);
  }

  /**
   * Changes the state of an entry; a full fence follows the store, and after DIRECT a {@link
   * Header#fence}. I/O process only.
   */
  public void state(final int entry, final int state) {
    entries.putIntVolatile(offset(entry) + ImageDescriptor.STATE_OFFSET, state);
    if (state == ImageDescriptor.STATE_DIRECT) {
      header.fence();
    }
  }

  public int imageId(final int entry) {
    return entries.getIntAcquire(offset(entry) + ImageDescriptor.IMAGE_ID_OFFSET);
  }

  /** Returns bytes; meaningful while diverted or committed. */
  public long size(final int entry) {
    return entries.getLongAcquire(offset(entry) + ImageDescriptor.SIZE_OFFSET);
  }

  /**
   * Sets the logical size: the process that diverts the image, or the I/O process when none does.
   */
  public void size(final int entry, final long size) {
    entries.putLongRelease(offset(entry) + ImageDescriptor.SIZE_OFFSET, size);
  }

  /** Returns the errno of the first storage error that the drain met on the image; 0 for none. */
  public int error(final int entry) {
    return entries.getIntAcquire(offset(entry) + ImageDescriptor.ERROR_OFFSET);
  }

  /**
   * Records a storage error. I/O process only.
   *
   * @param errno an errno; 0 for none
   */
  public void error(final int entry, final int errno) {
    entries.putIntRelease(offset(entry) + ImageDescriptor.ERROR_OFFSET, errno);
  }

  /**
   * Sets the reason why an image is direct, before its state does. I/O process only.
   *
   * @param reason the reason; {@link Reason#NONE} when it is not direct
   */
  public void reason(final int entry, final Reason reason) {
    entries.putIntRelease(offset(entry) + ImageDescriptor.REASON_OFFSET, reason.ordinal());
  }

  /** Returns the reason why an image is direct; {@link Reason#NONE} when it never was. */
  public Reason reason(final int entry) {
    return Reason.of(
        entries.getIntAcquire(offset(entry) + ImageDescriptor.REASON_OFFSET)
            & ~ImageDescriptor.REASON_SETTLING);
  }

  /**
   * Sets the reason why an image is about to be direct, while its file may lack logged bytes. I/O
   * process only.
   */
  public void settling(final int entry, final Reason reason) {
    entries.putIntRelease(
        offset(entry) + ImageDescriptor.REASON_OFFSET,
        reason.ordinal() | ImageDescriptor.REASON_SETTLING);
  }

  /** Notes that a direct image's file holds all logged bytes. I/O process only, any thread. */
  public void settled(final int entry) {
    final int offset = offset(entry) + ImageDescriptor.REASON_OFFSET;
    final int reason = entries.getIntVolatile(offset);
    entries.compareAndSetInt(offset, reason, reason & ~ImageDescriptor.REASON_SETTLING);
  }

  /** The bytes that processes have counted as written to an image's own file. */
  public long directBytes(final int entry) {
    return entries.getLongVolatile(offset(entry) + ImageDescriptor.DIRECT_BYTES_OFFSET);
  }

  /** Returns a bit for each {@link Reason} why uncounted bytes may be in an image's file. */
  public long unseen(final int entry) {
    return entries.getLongVolatile(offset(entry) + ImageDescriptor.UNSEEN_OFFSET);
  }

  private static int offset(final int entry) {
    return entry * ImageDescriptor.LENGTH;
  }
}
