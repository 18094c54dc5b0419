package org.sluice.core.posix;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;

/**
 * An open file descriptor. Unlike a {@link java.nio.channels.FileChannel} it tells the errno of a
 * failure, where the file is by now, its device and inode, and its holes, and no interrupt closes
 * it. Thread-safe, but for {@link #close()}, after which nothing may be called. Tests extend it, to
 * see what is written.
 */
public class NativeFile implements AutoCloseable {
  /** What a file is opened for. Without {@link #WRITE} it is read only. */
  public enum Flag {
    /** Reading and writing. */
    WRITE(0x2),
    /** Create it, with mode 0600, if there is none. */
    CREATE(0x40),
    /** With {@link #CREATE}: fail if there is one. */
    EXCLUSIVE(0x80),
    /** Cut it to nothing. */
    TRUNCATE(0x200),
    /** Past the page cache: addresses, lengths and offsets are multiples of 4096. */
    DIRECT(AARCH64 ? 0x10000 : 0x4000),
    /** Fail unless it is a directory. */
    DIRECTORY(AARCH64 ? 0x4000 : 0x10000);

    private final int bits;

    Flag(final int bits) {
      this.bits = bits;
    }
  }

  private static final boolean AARCH64 = "aarch64".equals(System.getProperty("os.arch"));
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int PRIVATE = 0600;
  private static final String DELETED = " (deleted)";

  private final Path opened;
  private final int descriptor;
  private final long device;
  private final long inode;
  private final long born;

  /** The errno of the first sync that failed, 0 while none has. Any thread. */
  private volatile int lost;

  /** Where a rehearsal can strike; null nowhere. Written before the file is shared. */
  private FaultPoint writes;

  private FaultPoint syncs;

  /**
   * Until the kernel has said no for this file: it can since Linux 6.14, where the file system
   * does.
   */
  private volatile boolean writesPast = true;

  /**
   * Opens a file.
   *
   * @param path its name
   * @param flags what for
   * @throws PosixException when that fails
   */
  protected NativeFile(final Path path, final Flag... flags) throws PosixException {
    this.opened = path;
    this.descriptor = descriptor(path, flags);
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment status = status(arena);
      device =
          (long) status.get(JAVA_INT, 136) << 32
              | Integer.toUnsignedLong(status.get(JAVA_INT, 140));
      inode = status.get(JAVA_LONG, 32);
      final boolean known = (status.get(JAVA_INT, 0) & LibC.STATX_BTIME) != 0;
      born = known ? status.get(JAVA_LONG, 80) * 1_000_000_000 + status.get(JAVA_INT, 88) : 0;
    }
  }

  /**
   * Opens a file.
   *
   * @param path its name
   * @param flags what for
   * @return the open file; the caller closes it
   * @throws PosixException when that fails
   */
  public static NativeFile open(final Path path, final Flag... flags) throws PosixException {
    return new NativeFile(path, flags);
  }

  private static int descriptor(final Path path, final Flag... flags) throws PosixException {
    int bits = CLOSE_ON_EXEC;
    for (final Flag flag : flags) {
      bits |= flag.bits;
    }
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment name = arena.allocateFrom(path.toString());
      int descriptor;
      do {
        descriptor = LibC.open(name, bits, PRIVATE);
      } while (descriptor < 0 && LibC.errno() == Errno.EINTR);
      if (descriptor < 0) {
        throw new PosixException("open " + path, LibC.errno());
      }
      return descriptor;
    }
  }

  /**
   * Says what writing and synchronising this file is in the life of a checkpoint, for those who
   * rehearse a fault there. Before the file is shared with other threads.
   *
   * @param writing what writing to it is; null for nothing in particular
   * @param syncing what synchronising it is; null for nothing in particular
   * @return this file
   */
  public NativeFile role(final FaultPoint writing, final FaultPoint syncing) {
    writes = writing;
    syncs = syncing;
    return this;
  }

  /**
   * The name it was opened by, which messages use.
   *
   * @return a path, possibly out of date
   */
  public Path opened() {
    return opened;
  }

  /**
   * Where the file is now, after any rename by any process.
   *
   * @return its present path; empty when it was deleted
   * @throws IOException when the kernel does not tell
   */
  public Optional<Path> path() throws IOException {
    final Path link = Files.readSymbolicLink(procPath());
    return link.toString().endsWith(DELETED) && links() == 0 ? Optional.empty() : Optional.of(link);
  }

  /**
   * When the file was created, which tells it from a later one with the same inode number.
   *
   * @return nanoseconds since 1970; 0 where the file system does not know
   */
  public long born() {
    return born;
  }

  /**
   * The file's device.
   *
   * @return {@code major << 32 | minor}
   */
  public long device() {
    return device;
  }

  /**
   * The file's inode number.
   *
   * @return unsigned
   */
  public long inode() {
    return inode;
  }

  /**
   * The file's size.
   *
   * @return bytes
   * @throws PosixException when that fails
   */
  public long size() throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      return status(arena).get(JAVA_LONG, 40);
    }
  }

  /**
   * The file's permissions.
   *
   * @return the low 12 bits of its mode
   * @throws PosixException when that fails
   */
  public int mode() throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      return status(arena).get(JAVA_SHORT, 28) & 07777;
    }
  }

  /**
   * How many names the file has.
   *
   * @return hard links, 0 when deleted
   * @throws PosixException when that fails
   */
  public int links() throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      return status(arena).get(JAVA_INT, 16);
    }
  }

  /**
   * Writes all of a piece of memory.
   *
   * @param address where it begins
   * @param length its bytes
   * @param offset where it goes in the file
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
      } else if (LibC.errno() != Errno.EINTR) {
        throw new PosixException("write " + opened, LibC.errno());
      }
    }
  }

  private long writeOnce(final long address, final long length, final long offset)
      throws PosixException {
    final Fault fault = Fault.at(writes);
    if (fault == null) {
      return LibC.pwrite(descriptor, address, length, offset);
    }
    fault.begin("write " + opened);
    final long count = LibC.pwrite(descriptor, address, fault.cut(length), offset);
    fault.end();
    return count;
  }

  /**
   * Writes all of several pieces of memory, as one if the file system can.
   *
   * @param pieces the pieces; empty afterwards, however this ends
   * @param offset where the first goes in the file
   * @throws PosixException when that fails; any part may have been written
   */
  public void pwrite(final Pieces pieces, final long offset) throws PosixException {
    pwrite(pieces, offset, 0);
  }

  /**
   * Writes all of several pieces of memory, lets the kernel begin to bring them to storage, and
   * does not wait for it. Where it can, the kernel then forgets them ({@code RWF_DONTCACHE}), so
   * that the next bytes find memory without a search for some. An error of the storage shows in the
   * next {@link #sync}.
   *
   * @param pieces the pieces; empty afterwards, however this ends
   * @param offset where the first goes in the file
   * @throws PosixException when that fails; any part may have been written
   */
  public void pwritePast(final Pieces pieces, final long offset) throws PosixException {
    final long length = pieces.length();
    pwrite(pieces, offset, writesPast ? LibC.RWF_DONTCACHE : 0);
    if (!writesPast) {
      LibC.syncFileRange(descriptor, offset, length, LibC.SYNC_FILE_RANGE_WRITE);
    }
  }

  private void pwrite(final Pieces pieces, final long offset, final int wanted)
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
        } else if (flags != 0 && LibC.errno() == Errno.EOPNOTSUPP) {
          writesPast = false;
          flags = 0;
        } else if (LibC.errno() != Errno.EINTR) {
          throw new PosixException("write " + opened, LibC.errno());
        }
      }
    } finally {
      pieces.clear();
    }
  }

  private long writeOnce(final Pieces pieces, final long offset, final int flags)
      throws PosixException {
    final Fault fault = Fault.at(writes);
    if (fault == null) {
      return LibC.pwritev2(descriptor, pieces.address(), pieces.count(), offset, flags);
    }
    fault.begin("write " + opened);
    final long most = fault.cut(pieces.length());
    final long count =
        most < pieces.length()
            ? LibC.pwrite(
                descriptor, pieces.firstAddress(), Math.min(most, pieces.firstLength()), offset)
            : LibC.pwritev2(descriptor, pieces.address(), pieces.count(), offset, flags);
    fault.end();
    return count;
  }

  /**
   * Fills a piece of memory.
   *
   * @param address where it begins
   * @param length its bytes
   * @param offset where they come from in the file
   * @return bytes read, fewer than {@code length} only at the end of the file
   * @throws PosixException when that fails
   */
  public long pread(final long address, final long length, final long offset)
      throws PosixException {
    long done = 0;
    while (done < length) {
      final long count = LibC.pread(descriptor, address + done, length - done, offset + done);
      if (count == 0) {
        break;
      }
      if (count > 0) {
        done += count;
      } else if (LibC.errno() != Errno.EINTR) {
        throw new PosixException("read " + opened, LibC.errno());
      }
    }
    return done;
  }

  /**
   * Cuts or extends the file; the new part is a hole.
   *
   * @param size bytes
   * @throws PosixException when that fails
   */
  public void truncate(final long size) throws PosixException {
    check(LibC.ftruncate(descriptor, size), "truncate ");
  }

  /**
   * Gives a range of the file room on its file system, as zeros where there was none.
   *
   * @param offset where the range begins
   * @param length its bytes
   * @throws PosixException when that fails; {@link Errno#ENOSPC} when the file system is full
   */
  public void allocate(final long offset, final long length) throws PosixException {
    int result;
    do {
      result = LibC.fallocate(descriptor, 0, offset, length);
    } while (result < 0 && LibC.errno() == Errno.EINTR);
    check(result, "allocate ");
  }

  /**
   * Brings the data, and what is needed to read it back, to stable storage ({@code fdatasync}).
   * Once that has failed it always fails: the kernel drops what it could not write, so that trying
   * again would succeed without it.
   *
   * @throws PosixException when that fails; what was written since the last success may be lost
   */
  public void sync() throws PosixException {
    sync(LibC::fdatasync);
  }

  /**
   * Brings data and attributes to stable storage ({@code fsync}); for a directory, its entries.
   *
   * @throws PosixException when that fails, or {@link #sync()} has failed before
   */
  public void syncAll() throws PosixException {
    sync(LibC::fsync);
  }

  private void sync(final IntUnaryOperator call) throws PosixException {
    if (lost != 0) {
      throw new PosixException("sync " + opened, lost);
    }
    final Fault fault = Fault.at(syncs);
    try {
      if (fault != null) {
        fault.begin("sync " + opened);
      }
      check(call.applyAsInt(descriptor), "sync ");
    } catch (final PosixException e) {
      lost = e.errno();
      throw e;
    }
    if (fault != null) {
      fault.end();
    }
  }

  /**
   * Whether it failed to reach stable storage.
   *
   * @return true once a sync has failed
   */
  public boolean isLost() {
    return lost != 0;
  }

  /** Says that nothing is missed of what was written so far: the file was emptied on purpose. */
  public void renew() {
    lost = 0;
  }

  /**
   * Lets the page cache forget what is on stable storage ({@code POSIX_FADV_DONTNEED}). Advice: a
   * file system may ignore it, and what was not synchronised stays.
   */
  public void forget() {
    LibC.fadvise(descriptor, 0, 0, LibC.FADV_DONTNEED);
  }

  /**
   * Sets the file's permissions.
   *
   * @param mode the low 12 bits of a mode
   * @throws PosixException when that fails
   */
  public void chmod(final int mode) throws PosixException {
    check(LibC.fchmod(descriptor, mode), "change mode of ");
  }

  /**
   * Waits for and takes the file's exclusive lock ({@code flock}), until it is closed.
   *
   * @throws PosixException when that fails
   */
  public void lock() throws PosixException {
    if (!flock(LibC.LOCK_EX)) {
      throw new PosixException("lock " + opened, Errno.EAGAIN);
    }
  }

  /**
   * Takes the file's exclusive lock ({@code flock}), until it is closed, if nobody has it.
   *
   * @return false when somebody has it, in this process or another
   * @throws PosixException when that fails
   */
  public boolean tryLock() throws PosixException {
    return flock(LibC.LOCK_EX | LibC.LOCK_NB);
  }

  /**
   * Takes the file's shared lock ({@code flock}), until it is closed, if nobody has the exclusive
   * one.
   *
   * @return false when somebody has it, in this process or another
   * @throws PosixException when that fails
   */
  public boolean tryLockShared() throws PosixException {
    return flock(LibC.LOCK_SH | LibC.LOCK_NB);
  }

  private boolean flock(final int operation) throws PosixException {
    int result;
    do {
      result = LibC.flock(descriptor, operation);
    } while (result < 0 && LibC.errno() == Errno.EINTR);
    if (result < 0 && LibC.errno() == Errno.EAGAIN) {
      return false;
    }
    check(result, "lock ");
    return true;
  }

  /**
   * Gives the file one more name.
   *
   * @param name a path on the same file system that does not exist
   * @throws PosixException when that fails; {@link Errno#EXDEV} for another file system, {@link
   *     Errno#ENOENT} when the file was deleted
   */
  public void linkTo(final Path name) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment from = arena.allocateFrom(procPath().toString());
      final MemorySegment to = arena.allocateFrom(name.toString());
      check(
          LibC.linkat(LibC.AT_FDCWD, from, LibC.AT_FDCWD, to, LibC.AT_SYMLINK_FOLLOW),
          "link " + name + " to ");
    }
  }

  /**
   * The parts of the file that are not holes, as the file system knows them.
   *
   * @return extents in ascending order, not touching each other
   * @throws PosixException when that fails
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
    final long found = LibC.lseek(descriptor, offset, whence);
    if (found < 0 && LibC.errno() != Errno.ENXIO) {
      throw new PosixException("seek in " + opened, LibC.errno());
    }
    return found;
  }

  @Override
  public void close() throws PosixException {
    check(LibC.close(descriptor), "close ");
  }

  /** statx, since its structure is the same on every architecture. */
  private MemorySegment status(final Arena arena) throws PosixException {
    final MemorySegment status = arena.allocate(LibC.STATX_LENGTH, Long.BYTES);
    final MemorySegment thisDescriptor = arena.allocateFrom("");
    check(
        LibC.statx(
            descriptor,
            thisDescriptor,
            LibC.AT_EMPTY_PATH,
            LibC.STATX_BASIC_STATS | LibC.STATX_BTIME,
            status),
        "stat ");
    return status;
  }

  private void check(final int result, final String operation) throws PosixException {
    if (result < 0) {
      throw new PosixException(operation + opened, LibC.errno());
    }
  }

  private Path procPath() {
    return Path.of("/proc/self/fd/" + descriptor);
  }

  @Override
  public String toString() {
    return "%s (descriptor %d)".formatted(opened, descriptor);
  }
}
