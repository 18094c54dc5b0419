package org.sluice.core.libc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A function of the C library, and the constants of them all. Its manual page tells its parameters
 * and its result; pointers are addresses. In place of -1 a call returns the errno, negated.
 *
 * <p>Calls go through a small library of ours ({@code libc.c}). The JVM's own linker
 * (java.lang.foreign) takes 55 ms of processor at each start before its first call.
 */
@SuppressWarnings("restricted")
public final class LibC {
  public static final boolean AARCH64 = "aarch64".equals(System.getProperty("os.arch"));
  public static final int AT_FDCWD = -100;
  public static final int AT_SYMLINK_NOFOLLOW = 0x100;
  public static final int AT_SYMLINK_FOLLOW = 0x400;
  public static final int AT_EMPTY_PATH = 0x1000;
  public static final int AT_EACCESS = 0x200;
  public static final int W_OK = 2;
  public static final int AT_REMOVEDIR = 0x200;
  public static final int RENAME_NOREPLACE = 1;
  public static final int RENAME_EXCHANGE = 2;
  public static final int STATX_BASIC_STATS = 0x7ff;
  public static final int STATX_BTIME = 0x800;
  public static final int STATX_LENGTH = 256;
  public static final int STATFS_LENGTH = 120;
  public static final int SEEK_DATA = 3;
  public static final int SEEK_HOLE = 4;
  public static final int PRIO_PROCESS = 0;
  public static final int SCHED_OTHER = 0;
  public static final int SCHED_BATCH = 3;
  public static final int RLIMIT_NOFILE = 7;
  public static final int FADV_DONTNEED = 4;
  public static final int SYNC_FILE_RANGE_WRITE = 2;
  public static final int RWF_DONTCACHE = 0x80;
  public static final int LOCK_SH = 1;
  public static final int LOCK_EX = 2;
  public static final int LOCK_NB = 4;
  public static final int PROT_READ = 1;
  public static final int PROT_WRITE = 2;
  public static final int MAP_SHARED = 1;
  public static final int MAP_PRIVATE = 2;
  public static final int MAP_ANONYMOUS = 0x20;
  public static final int MADV_REMOVE = 9;
  public static final int MADV_HUGEPAGE = 14;
  public static final int MADV_POPULATE_WRITE = 23;
  public static final long MS_NOSUID = 2;
  public static final long MS_NODEV = 4;
  public static final long MS_NOEXEC = 8;
  public static final int MNT_DETACH = 2;
  public static final int SIGKILL = 9;
  public static final int SIGSTOP = 19;
  public static final int AF_UNIX = 1;
  public static final int SOCK_SEQPACKET = 5;
  public static final int SOCK_CLOEXEC = 0x80000;
  public static final int SOL_SOCKET = 1;
  public static final int SCM_RIGHTS = 1;
  public static final int MSG_DONTWAIT = 0x40;
  public static final int MSG_NOSIGNAL = 0x4000;
  public static final int FAN_CLOEXEC = 1;
  public static final int FAN_NONBLOCK = 2;
  public static final int FAN_CLASS_CONTENT = 4;
  public static final int FAN_UNLIMITED_QUEUE = 0x10;
  public static final int FAN_UNLIMITED_MARKS = 0x20;
  public static final int FAN_REPORT_TID = 0x100;
  public static final int FAN_MARK_ADD = 1;
  public static final int FAN_MARK_REMOVE = 2;
  public static final int FAN_OPEN = 0x20;
  public static final int FAN_OPEN_PERM = 0x10000;
  public static final int O_RDWR = 2;
  public static final int O_NONBLOCK = 0x800;
  public static final int O_CLOEXEC = 0x80000;
  public static final int O_PATH = 0x200000;
  public static final int O_DIRECTORY = AARCH64 ? 0x4000 : 0x10000;
  public static final long UTIME_NOW = (1L << 30) - 1;
  public static final long UTIME_OMIT = (1L << 30) - 2;
  public static final int IN_CLOEXEC = 0x80000;
  public static final int IN_NONBLOCK = 0x800;
  public static final int IN_OPEN = 0x20;
  public static final int F_GETFL = 3;
  public static final int F_SETOWN = 8;
  public static final int F_SETSIG = 10;
  public static final int F_SETLEASE = 1024;
  public static final int F_GETLEASE = 1025;
  public static final int F_WRLCK = 1;
  public static final int F_UNLCK = 2;
  public static final int TIOCGWINSZ = 0x5413;

  static {
    Installation.load("libsluice_java.so");
  }

  public static final LibC OPENAT = function("openat");
  public static final LibC FACCESSAT = function("faccessat");
  public static final LibC CLOSE = function("close");
  public static final LibC READ = wide("read");
  public static final LibC PREAD = wide("pread");
  public static final LibC WRITE = wide("write");
  public static final LibC PWRITE = wide("pwrite");
  public static final LibC PWRITEV2 = wide("pwritev2");
  public static final LibC TRUNCATE = function("truncate");
  public static final LibC FTRUNCATE = function("ftruncate");
  public static final LibC DUP3 = function("dup3");
  public static final LibC FDATASYNC = function("fdatasync");
  public static final LibC FSYNC = function("fsync");
  public static final LibC SYNCFS = function("syncfs");
  public static final LibC SYNC_FILE_RANGE = function("sync_file_range");
  public static final LibC POSIX_FADVISE = function("posix_fadvise");
  public static final LibC SYSCALL = function("syscall");
  public static final long SYS_MEMBARRIER = AARCH64 ? 283 : 324;
  public static final long SYS_IO_SETUP = AARCH64 ? 0 : 206;
  public static final long SYS_IO_DESTROY = AARCH64 ? 1 : 207;
  public static final long SYS_IO_SUBMIT = AARCH64 ? 2 : 209;
  public static final long SYS_IO_GETEVENTS = AARCH64 ? 4 : 208;
  public static final long SYS_GETPRIORITY = AARCH64 ? 141 : 140;
  public static final long SYS_SCHED_SETATTR = AARCH64 ? 274 : 314;
  public static final long SYS_GETSOCKOPT = AARCH64 ? 209 : 55;
  public static final long SYS_CACHESTAT = 451;
  public static final LibC GETRANDOM = wide("getrandom");
  public static final LibC GETTID = function("gettid");
  public static final LibC GETRLIMIT = function("getrlimit");
  public static final LibC FCHMOD = function("fchmod");
  public static final LibC FUTIMENS = function("futimens");
  public static final LibC FLOCK = function("flock");
  public static final LibC LSEEK = wide("lseek");
  public static final LibC STATX = function("statx");
  public static final LibC FSTATFS = function("fstatfs");
  public static final LibC LINKAT = function("linkat");
  public static final LibC READLINK = wide("readlink");
  public static final LibC UNLINKAT = function("unlinkat");
  public static final LibC MKDIRAT = function("mkdirat");
  public static final LibC RENAMEAT2 = function("renameat2");
  public static final LibC GETDENTS64 = wide("getdents64");
  public static final LibC UTIMENSAT = function("utimensat");
  public static final LibC FALLOCATE = function("fallocate");
  public static final LibC MMAP = wide("mmap");
  public static final LibC MUNMAP = function("munmap");
  public static final LibC MADVISE = function("madvise");
  public static final LibC MOUNT = function("mount");
  public static final LibC UMOUNT2 = function("umount2");
  public static final LibC KILL = function("kill");
  public static final LibC GETEUID = function("geteuid");
  public static final LibC ISATTY = function("isatty");
  public static final LibC IOCTL = function("ioctl");
  public static final LibC SOCKET = function("socket");
  public static final LibC CONNECT = function("connect");
  public static final LibC SENDMSG = wide("sendmsg");
  public static final LibC RECV = wide("recv");
  public static final LibC FANOTIFY_INIT = function("fanotify_init");
  public static final LibC FANOTIFY_MARK = function("fanotify_mark");
  public static final LibC INOTIFY_INIT1 = function("inotify_init1");
  public static final LibC INOTIFY_ADD_WATCH = function("inotify_add_watch");
  public static final LibC INOTIFY_RM_WATCH = function("inotify_rm_watch");
  public static final LibC FCNTL = function("fcntl");
  public static final LibC LOCALTIME_R = wide("localtime_r");
  public static final LibC STRFTIME = wide("strftime");
  static final LibC STRERRORNAME_NP = wide("strerrorname_np");
  static final LibC STRERRORDESC_NP = wide("strerrordesc_np");

  private final long address;

  /** Tells whether the result has 64 bits. */
  private final boolean wide;

  private LibC(final String name, final boolean wide) {
    try (Arena arena = Arena.ofConfined()) {
      this.address = find(NativeStruct.ofAscii(arena, name).address());
      this.wide = wide;
    }
    if (address == 0) {
      throw new UnsatisfiedLinkError("the C library has no " + name);
    }
  }

  private static LibC function(final String name) {
    return new LibC(name, false);
  }

  private static LibC wide(final String name) {
    return new LibC(name, true);
  }

  private static native long find(long name);

  private static native long call(
      long address, boolean wide, long a, long b, long c, long d, long e, long f);

  /**
   * @param result of a call
   * @throws PosixException when it is below 0
   */
  public static long check(final long result, final String operation) throws PosixException {
    if (result < 0) {
      throw new PosixException(operation, (int) -result);
    }
    return result;
  }

  public long call(final long a) {
    return call(a, 0, 0, 0, 0);
  }

  public long call(final long a, final long b) {
    return call(a, b, 0, 0, 0);
  }

  public long call(final long a, final long b, final long c) {
    return call(a, b, c, 0, 0);
  }

  public long call(final long a, final long b, final long c, final long d) {
    return call(a, b, c, d, 0);
  }

  public long call(final long a, final long b, final long c, final long d, final long e) {
    return call(a, b, c, d, e, 0);
  }

  public long call(
      final long a, final long b, final long c, final long d, final long e, final long f) {
    return call(address, wide, a, b, c, d, e, f);
  }

  /** The call, again each time that a signal interrupts it. */
  public long uninterrupted(final long a, final long b, final long c, final long d) {
    while (true) {
      final long result = call(a, b, c, d, 0);
      if (result != -Errno.EINTR) {
        return result;
      }
    }
  }

  /** The text that a function for an errno tells; empty when it tells none. */
  String text(final int errno) {
    final long text = call(errno);
    return text == 0 ? "" : MemorySegment.ofAddress(text).reinterpret(Long.MAX_VALUE).getString(0);
  }
}
