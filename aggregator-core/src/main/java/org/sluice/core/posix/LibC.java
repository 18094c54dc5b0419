package org.sluice.core.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The C library's functions under their own names. After a result below 0, {@link #errno()} of the
 * same thread says why.
 */
@SuppressWarnings("restricted")
final class LibC {
  static final int AT_FDCWD = -100;
  static final int AT_SYMLINK_FOLLOW = 0x400;
  static final int AT_EMPTY_PATH = 0x1000;
  static final int STATX_BASIC_STATS = 0x7ff;
  static final int STATX_BTIME = 0x800;
  static final int STATX_LENGTH = 256;
  static final int STATVFS_LENGTH = 112;
  static final int SEEK_DATA = 3;
  static final int SEEK_HOLE = 4;
  static final int PRIO_PROCESS = 0;
  static final int FADV_DONTNEED = 4;
  static final int SYNC_FILE_RANGE_WRITE = 2;
  static final int RWF_DONTCACHE = 0x80;
  static final int LOCK_SH = 1;
  static final int LOCK_EX = 2;
  static final int LOCK_NB = 4;
  static final int MADV_HUGEPAGE = 14;
  static final int MADV_POPULATE_WRITE = 23;
  static final long MS_NOSUID = 2;
  static final long MS_NODEV = 4;
  static final long MS_NOEXEC = 8;
  static final int MNT_DETACH = 2;
  static final int SIGKILL = 9;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
  private static final ThreadLocal<MemorySegment> CAPTURE =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

  private static final MethodHandle OPEN =
      function("open", JAVA_INT, Linker.Option.firstVariadicArg(2), ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle CLOSE = function("close", JAVA_INT, JAVA_INT);
  private static final MethodHandle PREAD =
      function("pread", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle PWRITE =
      function("pwrite", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle PWRITEV2 =
      function("pwritev2", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final MethodHandle FTRUNCATE =
      function("ftruncate", JAVA_INT, JAVA_INT, JAVA_LONG);
  private static final MethodHandle FDATASYNC = function("fdatasync", JAVA_INT, JAVA_INT);
  private static final MethodHandle FSYNC = function("fsync", JAVA_INT, JAVA_INT);
  private static final MethodHandle SYNC_FILE_RANGE =
      function("sync_file_range", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle POSIX_FADVISE =
      function("posix_fadvise", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle SYSCALL =
      function(
          "syscall",
          JAVA_LONG,
          Linker.Option.firstVariadicArg(1),
          JAVA_LONG,
          JAVA_INT,
          JAVA_INT,
          JAVA_INT);
  private static final long SYS_MEMBARRIER =
      System.getProperty("os.arch").equals("amd64") ? 324 : 283;
  private static final MethodHandle SETPRIORITY =
      function("setpriority", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle FCHMOD = function("fchmod", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle FLOCK = function("flock", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle LSEEK =
      function("lseek", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final MethodHandle STATX =
      function("statx", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
  private static final MethodHandle FSTATVFS = function("fstatvfs", JAVA_INT, JAVA_INT, ADDRESS);
  private static final MethodHandle LINKAT =
      function("linkat", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle MKDIR = function("mkdir", JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle RENAME = function("rename", JAVA_INT, ADDRESS, ADDRESS);
  private static final MethodHandle FALLOCATE =
      function("fallocate", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MADVISE =
      function("madvise", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle MOUNT =
      function("mount", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
  private static final MethodHandle UMOUNT2 = function("umount2", JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle KILL = function("kill", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle ISATTY = function("isatty", JAVA_INT, JAVA_INT);
  private static final MethodHandle STRERRORNAME_NP = words("strerrorname_np");
  private static final MethodHandle STRERRORDESC_NP = words("strerrordesc_np");

  private LibC() {}

  /** The errno of this thread's last call. */
  static int errno() {
    return (int) ERRNO.get(CAPTURE.get(), 0L);
  }

  static int open(final MemorySegment path, final int flags, final int mode) {
    try {
      return (int) OPEN.invokeExact(CAPTURE.get(), path, flags, mode);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int close(final int descriptor) {
    try {
      return (int) CLOSE.invokeExact(CAPTURE.get(), descriptor);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static long pread(
      final int descriptor, final long address, final long length, final long offset) {
    try {
      return (long) PREAD.invokeExact(CAPTURE.get(), descriptor, address, length, offset);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static long pwrite(
      final int descriptor, final long address, final long length, final long offset) {
    try {
      return (long) PWRITE.invokeExact(CAPTURE.get(), descriptor, address, length, offset);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static long pwritev2(
      final int descriptor,
      final long vectors,
      final int count,
      final long offset,
      final int flags) {
    try {
      return (long) PWRITEV2.invokeExact(CAPTURE.get(), descriptor, vectors, count, offset, flags);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int ftruncate(final int descriptor, final long size) {
    try {
      return (int) FTRUNCATE.invokeExact(CAPTURE.get(), descriptor, size);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int fdatasync(final int descriptor) {
    try {
      return (int) FDATASYNC.invokeExact(CAPTURE.get(), descriptor);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int fsync(final int descriptor) {
    try {
      return (int) FSYNC.invokeExact(CAPTURE.get(), descriptor);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int syncFileRange(
      final int descriptor, final long offset, final long length, final int flags) {
    try {
      return (int) SYNC_FILE_RANGE.invokeExact(CAPTURE.get(), descriptor, offset, length, flags);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the error instead of setting {@code errno}. */
  static int fadvise(final int descriptor, final long offset, final long length, final int advice) {
    try {
      return (int) POSIX_FADVISE.invokeExact(CAPTURE.get(), descriptor, offset, length, advice);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int membarrier(final int command) {
    try {
      return (int) (long) SYSCALL.invokeExact(CAPTURE.get(), SYS_MEMBARRIER, command, 0, 0);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int setpriority(final int which, final int who, final int priority) {
    try {
      return (int) SETPRIORITY.invokeExact(CAPTURE.get(), which, who, priority);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int fchmod(final int descriptor, final int mode) {
    try {
      return (int) FCHMOD.invokeExact(CAPTURE.get(), descriptor, mode);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int flock(final int descriptor, final int operation) {
    try {
      return (int) FLOCK.invokeExact(CAPTURE.get(), descriptor, operation);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static long lseek(final int descriptor, final long offset, final int whence) {
    try {
      return (long) LSEEK.invokeExact(CAPTURE.get(), descriptor, offset, whence);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int statx(
      final int directory,
      final MemorySegment path,
      final int flags,
      final int mask,
      final MemorySegment status) {
    try {
      return (int) STATX.invokeExact(CAPTURE.get(), directory, path, flags, mask, status);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int fstatvfs(final int descriptor, final MemorySegment status) {
    try {
      return (int) FSTATVFS.invokeExact(CAPTURE.get(), descriptor, status);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int linkat(
      final int fromDirectory,
      final MemorySegment from,
      final int toDirectory,
      final MemorySegment to,
      final int flags) {
    try {
      return (int) LINKAT.invokeExact(CAPTURE.get(), fromDirectory, from, toDirectory, to, flags);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int mkdir(final MemorySegment path, final int mode) {
    try {
      return (int) MKDIR.invokeExact(CAPTURE.get(), path, mode);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int rename(final MemorySegment from, final MemorySegment to) {
    try {
      return (int) RENAME.invokeExact(CAPTURE.get(), from, to);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int fallocate(final int descriptor, final int mode, final long offset, final long length) {
    try {
      return (int) FALLOCATE.invokeExact(CAPTURE.get(), descriptor, mode, offset, length);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int madvise(final long address, final long length, final int advice) {
    try {
      return (int) MADVISE.invokeExact(CAPTURE.get(), address, length, advice);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int mount(
      final MemorySegment source,
      final MemorySegment target,
      final MemorySegment type,
      final long flags,
      final MemorySegment options) {
    try {
      return (int) MOUNT.invokeExact(CAPTURE.get(), source, target, type, flags, options);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int umount2(final MemorySegment target, final int flags) {
    try {
      return (int) UMOUNT2.invokeExact(CAPTURE.get(), target, flags);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int kill(final int process, final int signal) {
    try {
      return (int) KILL.invokeExact(CAPTURE.get(), process, signal);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int isatty(final int descriptor) {
    try {
      return (int) ISATTY.invokeExact(CAPTURE.get(), descriptor);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Such as {@code No space left on device (ENOSPC)}. */
  static String describe(final int errno) {
    try {
      final MemorySegment name = (MemorySegment) STRERRORNAME_NP.invokeExact(errno);
      final MemorySegment words = (MemorySegment) STRERRORDESC_NP.invokeExact(errno);
      return name.address() == 0 ? "error " + errno : "%s (%s)".formatted(text(words), text(name));
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Such as {@code ENOSPC}; empty when there is no error of that number. */
  static String name(final int errno) {
    try {
      final MemorySegment name = (MemorySegment) STRERRORNAME_NP.invokeExact(errno);
      return name.address() == 0 ? "" : text(name);
    } catch (final Throwable e) {
      throw new AssertionError(e);
    }
  }

  private static String text(final MemorySegment string) {
    return string.reinterpret(Long.MAX_VALUE).getString(0);
  }

  private static MethodHandle function(
      final String name, final MemoryLayout result, final MemoryLayout... arguments) {
    return function(name, result, null, arguments);
  }

  private static MethodHandle function(
      final String name,
      final MemoryLayout result,
      final Linker.Option variadic,
      final MemoryLayout... arguments) {
    final Linker.Option errno = Linker.Option.captureCallState("errno");
    final Linker.Option[] options =
        variadic == null ? new Linker.Option[] {errno} : new Linker.Option[] {errno, variadic};
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(result, arguments),
        options);
  }

  private static MethodHandle words(final String name) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(ADDRESS, JAVA_INT));
  }
}
