package org.sluice.core.posix;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.libc.PosixException;

/**
 * The inode that a descriptor holds: its identity, its attributes, its names and its locks. {@link
 * NativeFile} has its bytes.
 */
public abstract class HeldInode implements AutoCloseable {
  static final int WITHOUT_WAITING = LibC.O_NONBLOCK; // for a lease
  static final long NAP_NANOS = 5_000_000;

  static final int PRIVATE = 0600;
  private static final String DELETED = " (deleted)";

  /** The descriptor, which is this object's to close. */
  public final int descriptor;

  final String opened;
  final FileStatus found;

  HeldInode(final String path, final int flags) throws PosixException {
    this(path, flags, PRIVATE);
  }

  HeldInode(final String path, final int flags, final int mode) throws PosixException {
    this.opened = path;
    this.descriptor = open(path, flags, mode);
    this.found = status();
  }

  private static int open(final String path, final int flags, final int mode)
      throws PosixException {
    try (Reach reach = Reach.of(path)) {
      final int all = flags | LibC.O_CLOEXEC;
      return (int)
          LibC.check(
              LibC.OPENAT.uninterrupted(reach.directory(), reach.name(), all, mode),
              "open " + path);
    }
  }

  /**
   * Lets go of the file's bytes. From here on the kernel does not count the file as open, as a
   * process that wants a lease on it needs. Names, attributes and the inode stay known. Nobody may
   * use the file meanwhile.
   *
   * @throws PosixException when that fails; nothing has changed then
   */
  public void letGo() throws PosixException {
    reopen(LibC.O_PATH);
  }

  /** Returns whether {@link #letGo} has let go of the bytes, or the file was opened so. */
  public boolean isLetGo() {
    return (LibC.FCNTL.call(descriptor, LibC.F_GETFL, 0) & LibC.O_PATH) != 0;
  }

  /**
   * Opens a file again that {@link #letGo} let go of; for reading only, if it has been made
   * read-only since. Waits for a program that has a lease on it.
   *
   * @throws PosixException when that fails; {@link Errno#EAGAIN} when a program still has a lease
   */
  public void takeBack(final long patienceNanos) throws PosixException {
    final long begin = System.nanoTime();
    while (true) {
      try {
        takeBack();
        return;
      } catch (final PosixException e) {
        if (e.errno() != Errno.EAGAIN || System.nanoTime() - begin > patienceNanos) {
          throw e;
        }
        LockSupport.parkNanos(NAP_NANOS);
      }
    }
  }

  private void takeBack() throws PosixException {
    try {
      reopen(LibC.O_RDWR | WITHOUT_WAITING);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
      reopen(WITHOUT_WAITING);
    }
  }

  final void reopen(final int flags) throws PosixException {
    final int again = open(procPath(), flags, PRIVATE);
    final long result = LibC.DUP3.call(again, descriptor, LibC.O_CLOEXEC);
    LibC.CLOSE.call(again);
    check(result, "open again ");
  }

  /** Returns the name it was opened by, for messages; possibly out of date. */
  public String opened() {
    return opened;
  }

  /**
   * Returns the present path, after any rename by any process; empty when the file was deleted.
   *
   * @throws PosixException when the kernel does not tell; {@link Errno#ENAMETOOLONG} when the path
   *     is longer than any that a system call takes
   */
  public Optional<String> path() throws PosixException {
    final String path;
    try {
      path = Names.target(procPath());
    } catch (final PosixException e) {
      throw new PosixException("tell the present path of " + opened, e.errno());
    }
    return path.endsWith(DELETED) && links() == 0 ? Optional.empty() : Optional.of(path);
  }

  /** Tells whether a path leads to this file; false also when it leads to nothing. */
  public boolean isAt(final Path path) throws PosixException {
    try {
      final FileStatus there = FileStatus.behind(path.toString());
      return there.identity().device() == device() && there.identity().inode() == inode();
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENOENT);
      return false;
    }
  }

  /**
   * Returns the time of creation in nanoseconds since 1970; 0 where the file system does not know.
   */
  public long born() {
    return found.identity().born();
  }

  /** Returns {@code major << 32 | minor}. */
  public long device() {
    return found.identity().device();
  }

  /** Returns the inode number, unsigned. */
  public long inode() {
    return found.identity().inode();
  }

  public FileIdentity identity() {
    return found.identity();
  }

  public long size() throws PosixException {
    return status().size();
  }

  /** The part of the file's size that is not holes, to the block. */
  public long allocated() throws PosixException {
    return status().allocated();
  }

  /** Returns the low 12 bits of the mode. */
  public int mode() throws PosixException {
    return status().mode();
  }

  /**
   * Lets the kernel begin to bring all data to storage, and does not wait for it. An error shows in
   * the next {@link NativeFile#sync}.
   */
  public void startSync() {
    LibC.SYNC_FILE_RANGE.call(descriptor, 0, 0, LibC.SYNC_FILE_RANGE_WRITE);
  }

  /** Makes everything durable that is on the file's file system. */
  public void syncFileSystem() throws PosixException {
    LibC.check(LibC.SYNCFS.call(descriptor), "sync the file system of " + opened);
  }

  /** Returns the number of hard links; 0 when deleted. */
  public int links() throws PosixException {
    return status().links();
  }

  /** Returns the type at the opening of the file. */
  public FileType type() {
    return found.type();
  }

  public FreeSpace room() throws PosixException {
    return FreeSpace.of(descriptor, opened);
  }

  /**
   * Returns whether other nodes may have the file system mounted: not where it is known to be one
   * node's.
   */
  public boolean isShared() throws PosixException {
    return room().isShared();
  }

  /**
   * @param mode the low 12 bits of a mode
   */
  public void chmod(final int mode) throws PosixException {
    check(LibC.FCHMOD.call(descriptor, mode), "change mode of ");
  }

  public Instant modified() throws PosixException {
    return status().modified();
  }

  public void modified(final Instant time) throws PosixException {
    check(setModified(time.getEpochSecond(), time.getNano()), "set the time of ");
  }

  /** Sets the time to now, so that watchers of the file notice the write. */
  final void touch() {
    setModified(0, LibC.UTIME_NOW);
  }

  private long setModified(final long seconds, final long nanos) {
    try (Arena arena = Arena.ofConfined()) {
      // Times of access and of modification.
      final NativeStruct times =
          new NativeStruct(arena, 4 * Long.BYTES)
              .putLong(8, LibC.UTIME_OMIT)
              .putLong(16, seconds)
              .putLong(24, nanos);
      return LibC.FUTIMENS.call(descriptor, times.address());
    }
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
      final long from = FileName.inC(arena, procPath());
      final long to = FileName.inC(arena, name.toString());
      check(
          LibC.LINKAT.call(LibC.AT_FDCWD, from, LibC.AT_FDCWD, to, LibC.AT_SYMLINK_FOLLOW),
          "link " + name + " to ");
    }
  }

  /** Waits for and takes the file's exclusive lock ({@code flock}), until it is closed. */
  public void lock() throws PosixException {
    if (!flock(LibC.LOCK_EX)) {
      throw new PosixException("lock " + opened, Errno.EAGAIN);
    }
  }

  /**
   * Takes the file's exclusive lock ({@code flock}), until it is closed, if nobody has it; false
   * when it is taken, in this process or another.
   */
  public boolean tryLock() throws PosixException {
    return flock(LibC.LOCK_EX | LibC.LOCK_NB);
  }

  /**
   * Takes the file's shared lock ({@code flock}), until it is closed, if nobody has the exclusive
   * one; false when it is taken, in this process or another.
   */
  public boolean tryLockShared() throws PosixException {
    return flock(LibC.LOCK_SH | LibC.LOCK_NB);
  }

  private boolean flock(final int operation) throws PosixException {
    final long result = LibC.FLOCK.uninterrupted(descriptor, operation, 0, 0);
    if (result == -Errno.EAGAIN) {
      return false;
    }
    check(result, "lock ");
    return true;
  }

  @Override
  public void close() throws PosixException {
    check(LibC.CLOSE.call(descriptor), "close ");
  }

  public FileStatus status() throws PosixException {
    return FileStatus.of(descriptor, opened);
  }

  final void check(final long result, final String operation) throws PosixException {
    if (result < 0) {
      throw new PosixException(operation + opened, (int) -result);
    }
  }

  /** A path that leads this process to the file, whatever its names are. */
  public String procPath() {
    return "/proc/self/fd/" + descriptor;
  }

  @Override
  public String toString() {
    return "%s (descriptor %d)".formatted(opened, descriptor);
  }
}
