package org.sluice.core.segment;

/**
 * Layout of a creation word: what is known of files that have just been created and are no images
 * yet, by a hash of their identity.
 *
 * <pre>
 *   63                          32 31                     8 7      0
 *  +------------------------------+------------------------+--------+
 *  | image entry                  | slot                   | 1      |  being entered
 *  +------------------------------+------------------------+--------+
 *  | tag of the file                                       | 2      |  opened
 *  +-------------------------------------------------------+--------+
 * </pre>
 *
 * A process that created a file stores the first by compare-and-set in place of 0, and takes it
 * back; see {@code client/enter.c}. The I/O process replaces anything by the second when it leaves
 * a process with an empty file that is no image: who created that file, and is only about to enter
 * it, finds the word and asks. Two files that share a word can only make their creators ask.
 */
public final class CreationDescriptor {
  public static final int LENGTH = 8;

  public static final int COUNT = 16384;

  /** A word that says nothing. */
  public static final int FREE = 0;

  /** Kind of a word: a process enters a file. */
  public static final int ENTERING = 1;

  /** Kind of a word: a file, or more than one, was opened. */
  public static final int OPENED = 2;

  private static final long SEVERAL = OPENED;

  private CreationDescriptor() {}

  static int index(final long device, final long inode) {
    return (int) (ImageDescriptor.hash(device, inode) >>> 16) & COUNT - 1;
  }

  static int kind(final long word) {
    return (int) word & 0xFF;
  }

  static long entering(final int slot, final int entry) {
    return (long) entry << 32 | (long) slot << 8 | ENTERING;
  }

  static int slot(final long word) {
    return (int) word >>> 8;
  }

  static int entry(final long word) {
    return (int) (word >>> 32);
  }

  static long opened(final long device, final long inode) {
    return ImageDescriptor.hash(device, inode) << 8 | OPENED;
  }

  /** Returns a word that also tells of the opening of a file. */
  static long alsoOpened(final long word, final long device, final long inode) {
    final long one = opened(device, inode);
    return word == FREE || word == one ? one : SEVERAL;
  }

  /** Tells whether a word may tell of the opening of a file. */
  static boolean saysOpened(final long word, final long device, final long inode) {
    return word == SEVERAL || word == opened(device, inode);
  }
}
