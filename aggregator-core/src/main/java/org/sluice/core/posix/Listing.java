package org.sluice.core.posix;

import java.lang.foreign.Arena;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.libc.PosixException;

/**
 * The entries of a directory, one after the other, of which the kernel tells many at once. An entry
 * that is made, renamed or deleted meanwhile may be among them or not. Not thread-safe.
 */
final class Listing implements AutoCloseable {
  private static final int BUFFER_LENGTH = 1 << 15;
  private static final int LENGTH_OFFSET = 16;
  private static final int TYPE_OFFSET = 18;
  private static final int NAME_OFFSET = 19;

  private final Arena arena = Arena.ofConfined();
  private final NativeStruct entries = new NativeStruct(arena, BUFFER_LENGTH);
  private final HeldInode directory;
  private int at;
  private int next;
  private int end;

  /** Begins before the first entry. The directory stays the caller's. */
  Listing(final HeldInode directory) {
    this.directory = directory;
  }

  /** Goes to the next entry; false when there is none. */
  boolean next() throws PosixException {
    if (next == end) {
      final long length =
          LibC.GETDENTS64.call(directory.descriptor, entries.address(), BUFFER_LENGTH);
      end = (int) LibC.check(length, "read the directory " + directory.opened());
      next = 0;
    }
    at = next;
    next += end == 0 ? 0 : entries.getShort(at + LENGTH_OFFSET);
    return end > 0;
  }

  /** The inode number as readdir gives it; wrong for mount points. */
  long inode() {
    return entries.getLong(at);
  }

  /**
   * Tells whether the entry may be a regular file or a directory: not all file systems tell its
   * type.
   */
  boolean mayBeOfUse() {
    return switch (entries.getByte(at + TYPE_OFFSET)) {
      case 0, 4, 8 -> true;
      default -> false;
    };
  }

  /** The entry's name in the directory, see {@link FileName}. */
  String name() {
    int length = 0;
    while (entries.getByte(at + NAME_OFFSET + length) != 0) {
      length++;
    }
    return FileName.decode(entries.getBytes(at + NAME_OFFSET, length));
  }

  @Override
  public void close() {
    arena.close();
  }
}
