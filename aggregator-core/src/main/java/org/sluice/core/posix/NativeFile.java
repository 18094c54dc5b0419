package org.sluice.core.posix;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Hazard.Mishap;

/**
 * An open file descriptor. Unlike a {@link java.nio.channels.FileChannel} it tells the errno of a
 * failure, the file's present path, its device and inode, and its holes, and no interrupt closes
 * it. Thread-safe, but for {@link #close()}, after which nothing may be called. Tests extend it to
 * see the writes.
 */
public class NativeFile extends HeldInode {
  /** The ways of opening a file. Without {@link #WRITE} it is read only. */
  public enum Flag {
    WRITE(0x2),
    /** Create it if there is none, with mode 0600 unless told otherwise. */
    CREATE(0x40),
    /** With {@link #CREATE}: fail if there is one. */
    EXCLUSIVE(0x80),
    TRUNCATE(0x200),
    /** Past the page cache: addresses, lengths and offsets are multiples of 4096. */
    DIRECT(LibC.AARCH64 ? 0x10000 : 0x4000),
    /** Fail unless it is a directory. */
    DIRECTORY(LibC.O_DIRECTORY),
    /** Fail if the last name of the path is a symbolic link. */
    NO_FOLLOW(LibC.AARCH64 ? 0x8000 : 0x20000),
    /** Wait for no process at the other end of a FIFO, take no terminal for one's own. */
    NO_WAIT(0x800 | 0x100),
    /** With {@link #WRITE} and the path of a directory: a new file in it that has no name. */
    NAMELESS(0x400000 | LibC.O_DIRECTORY),
    /** Hold the inode only, as after {@link #letGo}. */
    LET_GO(LibC.O_PATH);

    private final int bits;

    Flag(final int bits) {
      this.bits = bits;
    }
  }

  /** The signal by which the kernel tells a process that another one waits for its lease. */
  private static final int LEASE_SIGNAL = 63;

  /** The errno of the first sync that failed, 0 while none has. Any thread. */
  private volatile int lost;

  /** Held by who synchronises: the kernel tells only one of several of its losses. */
  final ReentrantLock syncLock = new ReentrantLock();

  /** The fault rehearsed at writes; null for none. Set before the file is shared. */
  private Hazard writes;

  private Hazard syncs;

  /**
   * True until the kernel has refused for this file: it can since Linux 6.14, where the file system
   * does.
   */
  private volatile boolean writesPast = true;

  protected NativeFile(final String path, final Flag... flags) throws PosixException {
    this(path, PRIVATE, flags);
  }

  private NativeFile(final String path, final int mode, final Flag... flags) throws PosixException {
    super(path, bits(flags), mode);
  }

  public static NativeFile open(final String path, final Flag... flags) throws PosixException {
    return new NativeFile(path, flags);
  }

  public static NativeFile open(final Path path, final Flag... flags) throws PosixException {
    return open(path.toString(), flags);
  }

  /** Opens a file of Sluice's own that may not be there yet. */
  public static NativeFile create(final Path path, final int mode, final Flag... flags)
      throws PosixException {
    return new NativeFile(path.toString(), mode, flags);
  }

  /**
   * Opens a file for reading and writing, and hides from its watchers (inotify) that this process
   * closes it as a writer. Where the kernel does not allow that, the file is open like any other.
   */
  public static NativeFile openQuietly(final String path, final Flag... flags)
      throws PosixException {
    final QuietOpener opener = QuietOpener.get();
    if (opener != null && mayWrite(path)) {
      return new QuietFile(opener, path, flags);
    }
    final Flag[] all = Arrays.copyOf(flags, flags.length + 1);
    all[flags.length] = Flag.WRITE;
    return new NativeFile(path, all);
  }

  /**
   * Tells whether writing is allowed. Perhaps only reading is, as to root on a file system of
   * another node.
   */
  private static boolean mayWrite(final String path) throws PosixException {
    try (Reach reach = Reach.of(path)) {
      return LibC.FACCESSAT.call(reach.directory(), reach.name(), LibC.W_OK, LibC.AT_EACCESS) == 0;
    }
  }

  private static int bits(final Flag... flags) {
    int bits = 0;
    for (final Flag flag : flags) {
      bits |= flag.bits;
    }
    return bits;
  }

  /**
   * Names the parts of writing and synchronising this file in the life of a checkpoint, for the
   * rehearsal of a fault there. Called before the file is shared with other threads.
   */
  public NativeFile role(final Hazard writing, final Hazard syncing) {
    writes = writing;
    syncs = syncing;
    return this;
  }

  /**
   * Writes all of a piece of memory.
   *
   * @throws PosixException when that fails; any part may have been written
   */
  public void pwrite(final long address, final long length, final long offset)
      throws PosixException {
    long done = 0;
    while (done < length) {
      final long count = writeOnce(address + done, length - done, offset + done);
      if (count > 0) {
        done += count;
      } else if (count == 0) {
        throw new PosixException("write " + opened, Errno.EIO);
      } else if (count != -Errno.EINTR) {
        throw new PosixException("write " + opened, (int) -count);
      }
    }
  }

  private static Mishap at(final Hazard hazard) {
    return hazard == null ? null : hazard.now();
  }

  /** Prepares a call that only a descriptor for writing allows. */
  void beforeWriting() throws PosixException {}

  /**
   * Does ahead what the first write would have to do, if it can be done at once. The first write
   * opens the file, and once that is protected from readers, another process is asked for each
   * open.
   */
  public void expectWrites() {}

  /** Tells watchers of the file about writes that the kernel has not told them of. */
  public void tellWatchers() {}

  private long writeOnce(final long address, final long length, final long offset)
      throws PosixException {
    beforeWriting();
    final Mishap mishap = at(writes);
    if (mishap == null) {
      return LibC.PWRITE.call(descriptor, address, length, offset);
    }
    mishap.begin("write " + opened);
    final long count = LibC.PWRITE.call(descriptor, address, mishap.cut(length), offset);
    mishap.end();
    return count;
  }

  /**
   * Writes all of several pieces of memory, as one if the file system can.
   *
   * @param pieces the pieces; empty afterwards, however this ends
   * @throws PosixException when that fails; any part may have been written
   */
  public void pwrite(final IoVector pieces, final long offset) throws PosixException {
    pwrite(pieces, offset, 0);
  }

  /**
   * Writes all of several pieces of memory, lets the kernel begin to bring them to storage, and
   * does not wait for it. Where it can, the kernel then forgets them ({@code RWF_DONTCACHE}), so
   * that the next bytes find memory without a search for some. An error of the storage shows in the
   * next {@link #sync}.
   *
   * @param pieces the pieces; empty afterwards, however this ends
   */
  public void pwritePast(final IoVector pieces, final long offset) throws PosixException {
    final long length = pieces.length();
    pwrite(pieces, offset, writesPast ? LibC.RWF_DONTCACHE : 0);
    if (!writesPast) {
      LibC.SYNC_FILE_RANGE.call(descriptor, offset, length, LibC.SYNC_FILE_RANGE_WRITE);
    }
  }

  private void pwrite(final IoVector pieces, final long offset, final int wanted)
      throws PosixException {
    int flags = wanted;
    try {
      long position = offset;
      while (pieces.count() > 0) {
        final long count = writeOnce(pieces, position, flags);
        if (count > 0) {
          pieces.written(count);
          position += count;
        } else if (count == 0) {
          throw new PosixException("write " + opened, Errno.EIO);
        } else if (flags != 0 && count == -Errno.EOPNOTSUPP) {
          writesPast = false;
          flags = 0;
        } else if (count != -Errno.EINTR) {
          throw new PosixException("write " + opened, (int) -count);
        }
      }
    } finally {
      pieces.clear();
    }
  }

  private long writeOnce(final IoVector pieces, final long offset, final int flags)
      throws PosixException {
    beforeWriting();
    final Mishap mishap = at(writes);
    if (mishap == null) {
      return LibC.PWRITEV2.call(descriptor, pieces.address(), pieces.count(), offset, flags);
    }
    mishap.begin("write " + opened);
    final long most = mishap.cut(pieces.length());
    final long count =
        most < pieces.length()
            ? LibC.PWRITE.call(
                descriptor, pieces.firstAddress(), Math.min(most, pieces.firstLength()), offset)
            : LibC.PWRITEV2.call(descriptor, pieces.address(), pieces.count(), offset, flags);
    mishap.end();
    return count;
  }

  /**
   * Fills a piece of memory.
   *
   * @return bytes read, fewer than {@code length} only at the end of the file
   */
  public long pread(final long address, final long length, final long offset)
      throws PosixException {
    long done = 0;
    while (done < length) {
      final long count = LibC.PREAD.call(descriptor, address + done, length - done, offset + done);
      if (count == 0) {
        break;
      }
      if (count > 0) {
        done += count;
      } else if (count != -Errno.EINTR) {
        throw new PosixException("read " + opened, (int) -count);
      }
    }
    return done;
  }

  /** Cuts or extends the file; the new part is a hole. */
  public void truncate(final long size) throws PosixException {
    beforeWriting();
    check(LibC.FTRUNCATE.call(descriptor, size), "truncate ");
  }

  /** Cuts or extends a file that nobody else has open, as {@link #truncate} does. */
  public void resize(final long size) throws PosixException {
    truncate(size);
  }

  /**
   * Closes the file as a writer for its watchers, from whom {@link #openQuietly} hides the real
   * close.
   *
   * @throws PosixException when it cannot be opened once more for that
   */
  public void tellOfClose() throws PosixException {}

  /**
   * Gives a range of the file room on its file system, as zeros where there was none.
   *
   * @throws PosixException when that fails; {@link Errno#ENOSPC} when the file system is full
   */
  public void allocate(final long offset, final long length) throws PosixException {
    beforeWriting();
    check(LibC.FALLOCATE.uninterrupted(descriptor, 0, offset, length), "allocate ");
  }

  /**
   * Brings the data, and the metadata needed to read it back, to stable storage ({@code
   * fdatasync}). After one failure it always fails: the kernel drops the bytes that it could not
   * write.
   *
   * @throws PosixException when that fails; bytes written since the last success may be lost
   */
  public void sync() throws PosixException {
    sync(LibC.FDATASYNC);
  }

  /**
   * Brings data and attributes to stable storage ({@code fsync}); for a directory, its entries.
   *
   * @throws PosixException when that fails, or {@link #sync()} has failed before
   */
  public void syncAll() throws PosixException {
    sync(LibC.FSYNC);
  }

  private void sync(final LibC call) throws PosixException {
    syncLock.lock();
    try {
      if (lost != 0) {
        throw new PosixException("sync " + opened, lost);
      }
      final Mishap mishap = at(syncs);
      if (mishap != null) {
        mishap.begin("sync " + opened);
      }
      check(call.call(descriptor), "sync ");
      if (mishap != null) {
        mishap.end();
      }
    } catch (final PosixException e) {
      lost = e.errno();
      throw e;
    } finally {
      syncLock.unlock();
    }
  }

  /** Keeps the failure of a sync that the holder of {@link #syncLock} has made. */
  PosixException lose(final int errno) {
    lost = errno;
    return new PosixException("sync " + opened, errno);
  }

  /**
   * Returns whether no other object is to see the file's writes, so that they may reach it in
   * another way. Any thread.
   */
  public boolean writesPlainly() {
    return isPlain(writes);
  }

  /** Returns whether no other object is to see the file's syncs. */
  boolean syncsPlainly() {
    return isPlain(syncs);
  }

  /** Returns whether neither a test extends the file, nor a fault is rehearsed at its calls. */
  private boolean isPlain(final Hazard calls) {
    return (getClass() == NativeFile.class || getClass() == QuietFile.class)
        && (calls == null || !calls.isArmed());
  }

  /** Tells whether bytes of the file may have failed to reach stable storage. */
  public boolean isLost() {
    return lost != 0;
  }

  /** Forgets a failed sync: the caller emptied the file on purpose, so no lost byte is missed. */
  public void renew() {
    lost = 0;
  }

  /**
   * Lets the page cache forget durable bytes ({@code POSIX_FADV_DONTNEED}). This is advice: a file
   * system may ignore it, and bytes not yet synchronised stay.
   */
  public void forget() {
    LibC.POSIX_FADVISE.call(descriptor, 0, 0, LibC.FADV_DONTNEED);
  }

  /**
   * Returns the parts of the file that are not holes, as the file system knows them, in ascending
   * order and not touching each other.
   */
  public List<Extent> dataExtents() throws PosixException {
    final List<Extent> extents = new ArrayList<>();
    for (long data = seek(0, LibC.SEEK_DATA); data >= 0; ) {
      final long hole = seek(data, LibC.SEEK_HOLE);
      if (hole < 0) {
        break;
      }
      extents.add(new Extent(data, hole - data));
      data = seek(hole, LibC.SEEK_DATA);
    }
    return extents;
  }

  private long seek(final long offset, final int whence) throws PosixException {
    final long found = LibC.LSEEK.call(descriptor, offset, whence);
    if (found < 0 && found != -Errno.ENXIO) {
      throw new PosixException("seek in " + opened, (int) -found);
    }
    return found;
  }

  /**
   * Makes other processes wait that open this file, until {@link #unlease} or, at most, as long as
   * the system says in {@code /proc/sys/fs/lease-break-time}.
   *
   * @param told a process that takes {@value #LEASE_SIGNAL} as a signal that another process waits,
   *     with the number of this descriptor
   * @return false when another description of the file is open, in whichever process, or where
   *     there are no leases
   */
  public boolean lease(final int told) {
    return LibC.FCNTL.call(descriptor, LibC.F_SETOWN, told) >= 0
        && LibC.FCNTL.call(descriptor, LibC.F_SETSIG, LEASE_SIGNAL) >= 0
        && LibC.FCNTL.call(descriptor, LibC.F_SETLEASE, LibC.F_WRLCK) >= 0;
  }

  /**
   * Tells whether {@link #lease} may hold this file once no other description of it is open; false
   * where there are no leases, or not for this user.
   */
  public boolean mayBeLeased() {
    if (LibC.FCNTL.call(descriptor, LibC.F_GETLEASE, 0) == LibC.F_WRLCK) {
      return true; // a lease that is held would end by the question below
    }
    final long result = LibC.FCNTL.call(descriptor, LibC.F_SETLEASE, LibC.F_UNLCK);
    return result >= 0 || result == -Errno.EAGAIN;
  }

  /**
   * Tells whether another process waits to open this file, which {@link #lease} holds; true also
   * when the lease is over.
   */
  public boolean isLeaseInTheWay() {
    return LibC.FCNTL.call(descriptor, LibC.F_GETLEASE, 0) != LibC.F_WRLCK;
  }

  /** Lets the processes go on that wait to open this file. */
  public void unlease() {
    LibC.FCNTL.call(descriptor, LibC.F_SETLEASE, LibC.F_UNLCK);
  }

  /** The number by which {@link #lease} tells of this file. */
  public int leaseNumber() {
    return descriptor;
  }
}
