package org.sluice.core.posix;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
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
  static final int AT_SYMLINK_NOFOLLOW = 0x100;
  static final int AT_SYMLINK_FOLLOW = 0x400;
  static final int AT_EMPTY_PATH = 0x1000;
  static final int STATX_BASIC_STATS = 0x7ff;
  static final int STATX_BTIME = 0x800;
  static final int STATX_LENGTH = 256;
  static final int STATFS_LENGTH = 120;
  static final int SEEK_DATA = 3;
  static final int SEEK_HOLE = 4;
  static final int PRIO_PROCESS = 0;
  static final int RLIMIT_NOFILE = 7;
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
  static final int AF_UNIX = 1;
  static final int SOCK_SEQPACKET = 5;
  static final int SOCK_CLOEXEC = 0x80000;
  static final int SOL_SOCKET = 1;
  static final int SCM_RIGHTS = 1;
  static final int MSG_DONTWAIT = 0x40;
  static final int MSG_NOSIGNAL = 0x4000;
  static final int FAN_CLOEXEC = 1;
  static final int FAN_NONBLOCK = 2;
  static final int FAN_CLASS_CONTENT = 4;
  static final int FAN_UNLIMITED_QUEUE = 0x10;
  static final int FAN_UNLIMITED_MARKS = 0x20;
  static final int FAN_MARK_ADD = 1;
  static final int FAN_MARK_REMOVE = 2;
  static final int FAN_OPEN_PERM = 0x10000;
  static final int O_CLOEXEC = 0x80000;
  static final long UTIME_OMIT = (1L << 30) - 2;
  static final int IN_CLOEXEC = 0x80000;
  static final int IN_NONBLOCK = 0x800;
  static final int IN_OPEN = 0x20;
  static final int F_GETFL = 3;
  static final int F_SETOWN = 8;
  static final int F_SETSIG = 10;
  static final int F_SETLEASE = 1024;
  static final int F_GETLEASE = 1025;
  static final int F_WRLCK = 1;
  static final int F_UNLCK = 2;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
  private static final ThreadLocal<MemorySegment> CAPTURE =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

  /**
   * Any of them: five integers or pointers in registers, a result in another. Each signature that
   * is linked costs a start some milliseconds, so all share one: in the calling conventions of
   * 64-bit Linux, on x86-64 and on AArch64, a function ignores the registers that it has no
   * parameter for, and the upper half of those it has an int for.
   */
  private static final MethodHandle CALL =
      LINKER.downcallHandle(
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
          Linker.Option.captureCallState("errno"));

  private static final MemorySegment OPEN = symbol("open");
  private static final MemorySegment CLOSE = symbol("close");
  private static final MemorySegment PREAD = symbol("pread");
  private static final MemorySegment PWRITE = symbol("pwrite");
  private static final MemorySegment PWRITEV2 = symbol("pwritev2");
  private static final MemorySegment FTRUNCATE = symbol("ftruncate");
  private static final MemorySegment DUP3 = symbol("dup3");
  private static final MemorySegment FDATASYNC = symbol("fdatasync");
  private static final MemorySegment FSYNC = symbol("fsync");
  private static final MemorySegment SYNC_FILE_RANGE = symbol("sync_file_range");
  private static final MemorySegment POSIX_FADVISE = symbol("posix_fadvise");
  private static final MemorySegment SYSCALL = symbol("syscall");
  private static final long SYS_MEMBARRIER =
      System.getProperty("os.arch").equals("amd64") ? 324 : 283;
  private static final MemorySegment GETRANDOM = symbol("getrandom");
  private static final MemorySegment SETPRIORITY = symbol("setpriority");
  private static final MemorySegment GETRLIMIT = symbol("getrlimit");
  private static final MemorySegment FCHMOD = symbol("fchmod");
  private static final MemorySegment FUTIMENS = symbol("futimens");
  private static final MemorySegment FLOCK = symbol("flock");
  private static final MemorySegment LSEEK = symbol("lseek");
  private static final MemorySegment STATX = symbol("statx");
  private static final MemorySegment FSTATFS = symbol("fstatfs");
  private static final MemorySegment LINKAT = symbol("linkat");
  private static final MemorySegment MKDIR = symbol("mkdir");
  private static final MemorySegment RENAME = symbol("rename");
  private static final MemorySegment UTIMENSAT = symbol("utimensat");
  private static final MemorySegment FALLOCATE = symbol("fallocate");
  private static final MemorySegment MADVISE = symbol("madvise");
  private static final MemorySegment MOUNT = symbol("mount");
  private static final MemorySegment UMOUNT2 = symbol("umount2");
  private static final MemorySegment KILL = symbol("kill");
  private static final MemorySegment GETEUID = symbol("geteuid");
  private static final MemorySegment ISATTY = symbol("isatty");
  private static final MemorySegment SOCKET = symbol("socket");
  private static final MemorySegment CONNECT = symbol("connect");
  private static final MemorySegment SENDMSG = symbol("sendmsg");
  private static final MemorySegment RECV = symbol("recv");
  private static final MemorySegment FANOTIFY_INIT = symbol("fanotify_init");
  private static final MemorySegment FANOTIFY_MARK = symbol("fanotify_mark");
  private static final MemorySegment INOTIFY_INIT1 = symbol("inotify_init1");
  private static final MemorySegment INOTIFY_ADD_WATCH = symbol("inotify_add_watch");
  private static final MemorySegment INOTIFY_RM_WATCH = symbol("inotify_rm_watch");
  private static final MemorySegment FCNTL = symbol("fcntl");
  private static final MemorySegment STRERRORNAME_NP = symbol("strerrorname_np");
  private static final MemorySegment STRERRORDESC_NP = symbol("strerrordesc_np");

  private LibC() {}

  /** The errno of this thread's last call. */
  static int errno() {
    return (int) ERRNO.get(CAPTURE.get(), 0L);
  }

  static int open(final MemorySegment path, final int flags, final int mode) {
    return (int) call(OPEN, path.address(), flags, mode);
  }

  static int close(final int descriptor) {
    return (int) call(CLOSE, descriptor);
  }

  static long pread(
      final int descriptor, final long address, final long length, final long offset) {
    return call(PREAD, descriptor, address, length, offset);
  }

  static long pwrite(
      final int descriptor, final long address, final long length, final long offset) {
    return call(PWRITE, descriptor, address, length, offset);
  }

  static long pwritev2(
      final int descriptor,
      final long vectors,
      final int count,
      final long offset,
      final int flags) {
    return call(PWRITEV2, descriptor, vectors, count, offset, flags);
  }

  static int ftruncate(final int descriptor, final long size) {
    return (int) call(FTRUNCATE, descriptor, size);
  }

  static int dup3(final int descriptor, final int target, final int flags) {
    return (int) call(DUP3, descriptor, target, flags);
  }

  static int fdatasync(final int descriptor) {
    return (int) call(FDATASYNC, descriptor);
  }

  static int fsync(final int descriptor) {
    return (int) call(FSYNC, descriptor);
  }

  static int syncFileRange(
      final int descriptor, final long offset, final long length, final int flags) {
    return (int) call(SYNC_FILE_RANGE, descriptor, offset, length, flags);
  }

  /** Returns the error instead of setting {@code errno}. */
  static int fadvise(final int descriptor, final long offset, final long length, final int advice) {
    return (int) call(POSIX_FADVISE, descriptor, offset, length, advice);
  }

  static int membarrier(final int command) {
    return (int) call(SYSCALL, SYS_MEMBARRIER, command, 0, 0);
  }

  static long getrandom(final long address, final long length) {
    return call(GETRANDOM, address, length, 0);
  }

  static int setpriority(final int which, final int who, final int priority) {
    return (int) call(SETPRIORITY, which, who, priority);
  }

  static int getrlimit(final int resource, final MemorySegment limits) {
    return (int) call(GETRLIMIT, resource, limits.address());
  }

  static int fchmod(final int descriptor, final int mode) {
    return (int) call(FCHMOD, descriptor, mode);
  }

  static int futimens(final int descriptor, final MemorySegment times) {
    return (int) call(FUTIMENS, descriptor, times.address());
  }

  static int flock(final int descriptor, final int operation) {
    return (int) call(FLOCK, descriptor, operation);
  }

  static long lseek(final int descriptor, final long offset, final int whence) {
    return call(LSEEK, descriptor, offset, whence);
  }

  static int statx(
      final int directory,
      final MemorySegment path,
      final int flags,
      final int mask,
      final MemorySegment status) {
    return (int) call(STATX, directory, path.address(), flags, mask, status.address());
  }

  static int fstatfs(final int descriptor, final MemorySegment status) {
    return (int) call(FSTATFS, descriptor, status.address());
  }

  static int linkat(
      final int fromDirectory,
      final MemorySegment from,
      final int toDirectory,
      final MemorySegment to,
      final int flags) {
    return (int) call(LINKAT, fromDirectory, from.address(), toDirectory, to.address(), flags);
  }

  static int mkdir(final MemorySegment path, final int mode) {
    return (int) call(MKDIR, path.address(), mode);
  }

  static int rename(final MemorySegment from, final MemorySegment to) {
    return (int) call(RENAME, from.address(), to.address());
  }

  /** Sets both times to the present. */
  static int utimensat(final int directory, final MemorySegment path, final int flags) {
    return (int) call(UTIMENSAT, directory, path.address(), 0, flags);
  }

  static int fallocate(final int descriptor, final int mode, final long offset, final long length) {
    return (int) call(FALLOCATE, descriptor, mode, offset, length);
  }

  static int madvise(final long address, final long length, final int advice) {
    return (int) call(MADVISE, address, length, advice);
  }

  static int mount(
      final MemorySegment source,
      final MemorySegment target,
      final MemorySegment type,
      final long flags,
      final MemorySegment options) {
    return (int)
        call(MOUNT, source.address(), target.address(), type.address(), flags, options.address());
  }

  static int umount2(final MemorySegment target, final int flags) {
    return (int) call(UMOUNT2, target.address(), flags);
  }

  static int kill(final int process, final int signal) {
    return (int) call(KILL, process, signal);
  }

  static int geteuid() {
    return (int) call(GETEUID, 0);
  }

  static int isatty(final int descriptor) {
    return (int) call(ISATTY, descriptor);
  }

  static int socket(final int domain, final int type) {
    return (int) call(SOCKET, domain, type, 0);
  }

  static int connect(final int socket, final MemorySegment address) {
    return (int) call(CONNECT, socket, address.address(), address.byteSize());
  }

  static long sendmsg(final int socket, final MemorySegment message, final int flags) {
    return call(SENDMSG, socket, message.address(), flags);
  }

  static long recv(final int socket, final MemorySegment into) {
    return call(RECV, socket, into.address(), into.byteSize(), 0);
  }

  static int fanotifyInit(final int flags, final int eventFlags) {
    return (int) call(FANOTIFY_INIT, flags, eventFlags);
  }

  /** Marks the file that the descriptor {@code file} is open on. */
  static int fanotifyMark(final int group, final int flags, final long mask, final int file) {
    return (int) call(FANOTIFY_MARK, group, flags, mask, file, 0);
  }

  static int inotifyInit(final int flags) {
    return (int) call(INOTIFY_INIT1, flags);
  }

  static int inotifyAddWatch(final int group, final MemorySegment path, final int mask) {
    return (int) call(INOTIFY_ADD_WATCH, group, path.address(), mask);
  }

  static int inotifyRemoveWatch(final int group, final int watch) {
    return (int) call(INOTIFY_RM_WATCH, group, watch);
  }

  static int fcntl(final int descriptor, final int command, final int argument) {
    return (int) call(FCNTL, descriptor, command, argument);
  }

  /** An errno in words, such as {@code No space left on device (ENOSPC)}. */
  static String describe(final int errno) {
    final String name = name(errno);
    return name.isEmpty()
        ? "error " + errno
        : "%s (%s)".formatted(text(call(STRERRORDESC_NP, errno)), name);
  }

  /** Such as {@code ENOSPC}; empty when there is no error of that number. */
  static String name(final int errno) {
    final long name = call(STRERRORNAME_NP, errno);
    return name == 0 ? "" : text(name);
  }

  private static String text(final long address) {
    return MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE).getString(0);
  }

  private static MemorySegment symbol(final String name) {
    return LINKER.defaultLookup().findOrThrow(name);
  }

  private static long call(final MemorySegment function, final long a) {
    return call(function, a, 0, 0, 0, 0);
  }

  private static long call(final MemorySegment function, final long a, final long b) {
    return call(function, a, b, 0, 0, 0);
  }

  private static long call(final MemorySegment function, final long a, final long b, final long c) {
    return call(function, a, b, c, 0, 0);
  }

  private static long call(
      final MemorySegment function, final long a, final long b, final long c, final long d) {
    return call(function, a, b, c, d, 0);
  }

  private static long call(
      final MemorySegment function,
      final long a,
      final long b,
      final long c,
      final long d,
      final long e) {
    try {
      return (long) CALL.invokeExact(function, CAPTURE.get(), a, b, c, d, e);
    } catch (final RuntimeException | Error failure) {
      throw failure;
    } catch (final Throwable functionsOfCThrowNothing) {
      throw new IllegalStateException(functionsOfCThrowNothing);
    }
  }
}
