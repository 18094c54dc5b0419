package org.sluice.iop.journal;

import java.lang.invoke.VarHandle;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;

/**
 * The file of a journal, written through a mapping, so that an entry takes no system call. The
 * mapping is the page cache. So a stored byte is where the next I/O process reads it, whatever
 * kills this one. An entry is stored before its effect: a fence is between them, a kill ends a
 * thread between two instructions, and the processor brings to memory what was stored.
 *
 * <p>Behind the entries the file has zeros, whose pages are there before anything is stored. So a
 * full file system is an error, not a signal. Where there is no room ahead, each entry is written
 * by a call, which says why. So it is on a file system that may copy a page once more before it
 * changes, as btrfs does, and then needs room again. Not thread-safe.
 */
final class JournalFile implements AutoCloseable {
  /** The file systems that change a page where it is. */
  private static final Set<String> IN_PLACE = Set.of("tmpfs", "ext4", "xfs");

  /** The largest page of a processor, in bytes. */
  private static final long PAGE = 1 << 16;

  /** The bytes that are mapped at a time. */
  private static final long ROOM = 2 * PAGE;

  private final NativeFile file;
  private final UnsafeBuffer window = new UnsafeBuffer(0, 0);
  private final UnsafeBuffer entry = new UnsafeBuffer(0, 0);

  /** The offset of the window in the file. */
  private long begin;

  private boolean isMappable;

  /**
   * @param file file that is longer than its entries from now on; closed with this
   */
  JournalFile(final NativeFile file) throws PosixException {
    this.file = file;
    this.isMappable = IN_PLACE.contains(file.room().fileSystem());
  }

  NativeFile file() {
    return file;
  }

  /** Writes a piece of memory behind what was written before. */
  void write(final long address, final int length, final long offset) throws PosixException {
    if (file.writesPlainly() && (isMapped(offset, length) || makeRoom(offset, length))) {
      entry.wrap(address, length);
      window.putBytes((int) (offset - begin), entry, 0, length);
      VarHandle.releaseFence(); // no effect is stored before
    } else {
      file.pwrite(address, length, offset);
    }
  }

  private boolean isMapped(final long offset, final int length) {
    return offset >= begin && offset + length <= begin + window.capacity();
  }

  /** Maps the room for an entry; returns false where there is none. */
  private boolean makeRoom(final long offset, final int length) {
    if (!isMappable || length > ROOM - PAGE) {
      return false;
    }
    unmap();
    try {
      map(offset / PAGE * PAGE);
    } catch (final PosixException noRoom) {
      isMappable = false;
    }
    return isMappable;
  }

  private void map(final long from) throws PosixException {
    file.allocate(from, ROOM);
    final long address =
        LibC.check(
            LibC.MMAP.call(
                0, ROOM, LibC.PROT_READ | LibC.PROT_WRITE, LibC.MAP_SHARED, file.descriptor, from),
            "map " + file.opened());
    window.wrap(address, (int) ROOM);
    begin = from;
  }

  private void unmap() {
    if (window.capacity() > 0) {
      LibC.MUNMAP.call(window.addressOffset(), window.capacity());
      window.wrap(0, 0);
    }
  }

  /** Cuts off the zeros behind the entries. */
  void end(final long length) throws PosixException {
    unmap();
    file.truncate(length);
  }

  @Override
  public void close() throws PosixException {
    unmap();
    file.close();
  }
}
