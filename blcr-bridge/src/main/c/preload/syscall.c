/*
 * Programs that call the kernel by number. A call with a function of the same meaning becomes that
 * function. The kernel carries out the rest, and their files become direct first.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "description.h"
#include "early_attach.h"
#include "mapping.h"
#include "open.h"
#include "process.h"
#include "real.h"

#define INT(n) ((int)a[n])
#define SIZE(n) ((size_t)a[n])
#define TEXT(n) ((const char *)a[n])
#define POINTER(n) ((void *)a[n])

/* Carries a call out by its function. */
#define BY_NAME(number, call)                                                                      \
    case SYS_##number:                                                                             \
        return *result = (long)(call), true

static bool by_name(long number, const long a[6], long *result)
{
    switch (number) {
        /* Bytes and lengths. */
        BY_NAME(read, read(INT(0), POINTER(1), SIZE(2)));
        BY_NAME(readv, readv(INT(0), POINTER(1), INT(2)));
        BY_NAME(pread64, pread(INT(0), POINTER(1), SIZE(2), a[3]));
        BY_NAME(preadv, preadv(INT(0), POINTER(1), INT(2), a[3]));
        BY_NAME(preadv2, preadv2(INT(0), POINTER(1), INT(2), a[3], INT(5)));
        BY_NAME(write, write(INT(0), POINTER(1), SIZE(2)));
        BY_NAME(writev, writev(INT(0), POINTER(1), INT(2)));
        BY_NAME(pwrite64, pwrite(INT(0), POINTER(1), SIZE(2), a[3]));
        BY_NAME(pwritev, pwritev(INT(0), POINTER(1), INT(2), a[3]));
        BY_NAME(pwritev2, pwritev2(INT(0), POINTER(1), INT(2), a[3], INT(5)));
        BY_NAME(lseek, lseek(INT(0), a[1], INT(2)));
        BY_NAME(ftruncate, ftruncate(INT(0), a[1]));
        BY_NAME(truncate, truncate(TEXT(0), a[1]));
        BY_NAME(fallocate, fallocate(INT(0), INT(1), a[2], a[3]));
        BY_NAME(fsync, fsync(INT(0)));
        BY_NAME(fdatasync, fdatasync(INT(0)));
        BY_NAME(sync_file_range, sync_file_range(INT(0), a[1], a[2], (unsigned)a[3]));
        BY_NAME(msync, msync(POINTER(0), SIZE(1), INT(2)));
        BY_NAME(syncfs, syncfs(INT(0)));
        BY_NAME(sync, (sync(), 0));
        BY_NAME(sendfile, sendfile(INT(0), INT(1), POINTER(2), SIZE(3)));
        BY_NAME(splice, splice(INT(0), POINTER(1), INT(2), POINTER(3), SIZE(4), (unsigned)a[5]));
        BY_NAME(copy_file_range,
                copy_file_range(INT(0), POINTER(1), INT(2), POINTER(3), SIZE(4), (unsigned)a[5]));

        /* Descriptors and mappings, and programs that take this one's place. */
        BY_NAME(openat, sluice_open(INT(0), TEXT(1), INT(2), (mode_t)a[3]));
        BY_NAME(openat2, sluice_open_by_how(INT(0), TEXT(1), POINTER(2), SIZE(3)));
        BY_NAME(open_by_handle_at, open_by_handle_at(INT(0), POINTER(1), INT(2)));
        BY_NAME(close, close(INT(0)));
        BY_NAME(close_range, close_range((unsigned)a[0], (unsigned)a[1], INT(2)));
        BY_NAME(dup, dup(INT(0)));
        BY_NAME(dup3, dup3(INT(0), INT(1), INT(2)));
        BY_NAME(fcntl, fcntl(INT(0), INT(1), a[2]));
        BY_NAME(ioctl, ioctl(INT(0), (unsigned long)a[1], a[2]));
        BY_NAME(sendmsg, sendmsg(INT(0), POINTER(1), INT(2)));
        BY_NAME(sendmmsg, sendmmsg(INT(0), POINTER(1), (unsigned)a[2], INT(3)));
        BY_NAME(pidfd_getfd, pidfd_getfd(INT(0), INT(1), (unsigned)a[2]));
        BY_NAME(mmap, sluice_mapping_make(true, POINTER(0), SIZE(1), INT(2), INT(3), INT(4), a[5]));
        BY_NAME(munmap, sluice_mapping_end(true, POINTER(0), SIZE(1)));
        BY_NAME(mremap,
                sluice_mapping_move(true, POINTER(0), SIZE(1), SIZE(2), INT(3), POINTER(4)));
        BY_NAME(execve, execve(TEXT(0), POINTER(1), POINTER(2)));
        BY_NAME(execveat, execveat(INT(0), TEXT(1), POINTER(2), POINTER(3), INT(4)));

        /* Names and attributes. The kernel's structures are the C library's. */
        BY_NAME(fstat, fstat(INT(0), POINTER(1)));
        BY_NAME(newfstatat, fstatat(INT(0), TEXT(1), POINTER(2), INT(3)));
        BY_NAME(statx, statx(INT(0), TEXT(1), INT(2), (unsigned)a[3], POINTER(4)));
        BY_NAME(renameat2, renameat2(INT(0), TEXT(1), INT(2), TEXT(3), (unsigned)a[4]));
        BY_NAME(linkat, linkat(INT(0), TEXT(1), INT(2), TEXT(3), INT(4)));
        BY_NAME(unlinkat, unlinkat(INT(0), TEXT(1), INT(2)));
#ifdef SYS_renameat
        BY_NAME(renameat, renameat(INT(0), TEXT(1), INT(2), TEXT(3)));
#endif
        BY_NAME(fchmod, fchmod(INT(0), (mode_t)a[1]));
        BY_NAME(fchmodat, fchmodat(INT(0), TEXT(1), (mode_t)a[2], 0));
        BY_NAME(fsetxattr, fsetxattr(INT(0), TEXT(1), POINTER(2), SIZE(3), INT(4)));
        BY_NAME(setxattr, setxattr(TEXT(0), TEXT(1), POINTER(2), SIZE(3), INT(4)));
        BY_NAME(lsetxattr, lsetxattr(TEXT(0), TEXT(1), POINTER(2), SIZE(3), INT(4)));
        BY_NAME(setrlimit, setrlimit((__rlimit_resource_t)a[0], POINTER(1)));
        BY_NAME(prlimit64, prlimit((pid_t)a[0], (__rlimit_resource_t)a[1], POINTER(2), POINTER(3)));

#ifdef SYS_open /* only x86-64 has the older calls */
        BY_NAME(open, sluice_open(AT_FDCWD, TEXT(0), INT(1), (mode_t)a[2]));
        BY_NAME(creat, creat(TEXT(0), (mode_t)a[1]));
        BY_NAME(dup2, dup2(INT(0), INT(1)));
        BY_NAME(stat, stat(TEXT(0), POINTER(1)));
        BY_NAME(lstat, lstat(TEXT(0), POINTER(1)));
        BY_NAME(rename, rename(TEXT(0), TEXT(1)));
        BY_NAME(link, link(TEXT(0), TEXT(1)));
        BY_NAME(unlink, unlink(TEXT(0)));
        BY_NAME(chmod, chmod(TEXT(0), (mode_t)a[1]));
        BY_NAME(utime, utime(TEXT(0), POINTER(1)));
        BY_NAME(utimes, utimes(TEXT(0), POINTER(1)));
        BY_NAME(futimesat, futimesat(INT(0), TEXT(1), POINTER(2)));
#endif
    default:
        return false;
    }
}

/* Makes a child with memory of its own; the kernel carries out the call. */
static long fork_by_number(long number, const long a[6])
{
    sluice_images_before_fork();
    return sluice_process_forked(REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/*
 * Returns the flags of clone3(). The flags of a thread stand for a probe whether the kernel has the
 * call.
 */
static unsigned long long flags_of_clone3(const long a[6])
{
    const unsigned long long *flags = POINTER(0);
    return flags != NULL && SIZE(1) >= sizeof *flags ? *flags
                                                     : CLONE_VM | CLONE_FILES | CLONE_VFORK;
}

/* Returns whether the call makes a process with memory of its own. */
static bool is_fork(long number, const long a[6])
{
    switch (number) {
#ifdef SYS_fork
    case SYS_fork:
        return true;
#endif
    case SYS_clone:
        return !(a[0] & CLONE_VM);
    case SYS_clone3:
        return !(flags_of_clone3(a) & CLONE_VM);
    default:
        return false;
    }
}

/* Makes the files direct that the kernel's own call concerns. */
static void prepare(long number, const long a[6])
{
    switch (number) {
    case SYS_clone:
        sluice_process_before_sharing(INT(0));
        break;
    case SYS_clone3:
        sluice_process_before_sharing((int)flags_of_clone3(a));
        break;
    case SYS_unshare:
        if (a[0] & CLONE_FILES)
            sluice_descriptions_divide();
        break;
    case SYS_exit_group:
        sluice_process_end(a[0] == 0);
        break;
    case SYS_seccomp:
        sluice_early_never();
        break;
    case SYS_prctl:
        if (INT(0) == PR_SET_SECCOMP)
            sluice_early_never();
        break;
    case SYS_utimensat:
        if (TEXT(1) == NULL)
            sluice_descriptor_surrender(INT(0), SLUICE_REASON_CONTROL);
        else
            sluice_open_settle(INT(0), TEXT(1), O_RDONLY);
        break;
    case SYS_io_setup:
    case SYS_io_submit:
        sluice_images_go_direct(SLUICE_REASON_AIO);
        break;
    case SYS_io_uring_setup:
    case SYS_io_uring_enter:
    case SYS_io_uring_register:
        sluice_images_go_direct(SLUICE_REASON_IO_URING);
        break;
    default:
        break;
    }
}

SLUICE_WRAPPER long syscall(long number, ...)
{
    va_list list;
    long a[6], result;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (sluice_capture_on() && !sluice_guard_inside()) {
        if (by_name(number, a, &result))
            return result;
        if (is_fork(number, a))
            return fork_by_number(number, a);
        prepare(number, a);
    }
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
