package org.sluice.core.segment;

import org.agrona.concurrent.AtomicBuffer;

/**
 * Files that have just been created. A process enters its file as an image, and another may open
 * it. The second of them finds the first one's word. {@code client/enter.c} has the other side. For
 * a single thread of the I/O process.
 *
 * <p>A process stores its word, looks whether its file is an image and still empty, puts its OPEN
 * on its ring, and then makes the entry DIVERTED by compare-and-set from ENTERING. Here the word is
 * read, the entry made CONTESTED by compare-and-set from ENTERING, and the word replaced. So one of
 * three things is true afterwards: the process fails to make its entry DIVERTED, and asks; or its
 * OPEN lies on its ring; or it has not stored its word, and cannot.
 */
public final class Creations {
  private final AtomicBuffer words;
  private final ImageTable table;

  Creations(final AtomicBuffer words, final ImageTable table) {
    this.words = words;
    this.table = table;
  }

  /** The finding about a file that is no image. */
  public enum Finding {
    /** Nobody has created or opened it lately. */
    NOTHING,
    /** Another process has it open, or another file shares the word. */
    OPENED,
    /** The process that created it was about to enter it, and asks for it soon. */
    CONTESTED
  }

  /**
   * Makes the process that is about to enter a file ask for it, until {@link #close}. If the
   * process has entered the file by then, its ring has the OPEN.
   *
   * @param device {@code major << 32 | minor}
   */
  public Finding open(final long device, final long inode) {
    final int offset = offset(device, inode);
    while (true) {
      final long word = words.getLongVolatile(offset);
      final boolean entering = CreationDescriptor.kind(word) == CreationDescriptor.ENTERING;
      final boolean contested =
          entering
              && table.contest(CreationDescriptor.entry(word), CreationDescriptor.slot(word))
              && table.isOf(CreationDescriptor.entry(word), device, inode);
      if (words.compareAndSetLong(
          offset, word, CreationDescriptor.alsoOpened(word, device, inode))) {
        return contested
            ? Finding.CONTESTED
            : CreationDescriptor.saysOpened(word, device, inode) ? Finding.OPENED : Finding.NOTHING;
      }
    }
  }

  /**
   * Ends the asking: a process that looks at the file from here on finds an image, or a file that
   * is not empty.
   *
   * @param device {@code major << 32 | minor}
   */
  public void close(final long device, final long inode) {
    words.compareAndSetLong(
        offset(device, inode), CreationDescriptor.opened(device, inode), CreationDescriptor.FREE);
  }

  /**
   * Frees the word of an image that was taken.
   *
   * @param device {@code major << 32 | minor}
   */
  public void taken(final int slot, final int entry, final long device, final long inode) {
    words.compareAndSetLong(
        offset(device, inode), CreationDescriptor.entering(slot, entry), CreationDescriptor.FREE);
  }

  /**
   * Frees the entry that a process, gone by now, was about to fill.
   *
   * @param entry the slot's word for the entry, which may be anything
   */
  public void abandon(final int slot, final int entry) {
    if (entry >= 0 && entry < table.count() && table.isBeingEntered(entry, slot)) {
      taken(slot, entry, table.device(entry), table.inode(entry));
      table.abandon(entry, slot);
    }
  }

  /** Makes every process that is about to enter a file ask for it, from here on and for good. */
  public void end() {
    for (int offset = 0; offset < words.capacity(); offset += CreationDescriptor.LENGTH) {
      final long word = words.getAndSetLong(offset, CreationDescriptor.OPENED);
      if (CreationDescriptor.kind(word) == CreationDescriptor.ENTERING) {
        table.contest(CreationDescriptor.entry(word), CreationDescriptor.slot(word));
      }
    }
  }

  private static int offset(final long device, final long inode) {
    return CreationDescriptor.index(device, inode) * CreationDescriptor.LENGTH;
  }
}
