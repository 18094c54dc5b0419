/*
 * Programs that call the kernel by number. What has a function of the same meaning is that function;
 * the rest is carried out by the kernel, and what it concerns becomes direct first.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
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
#include "handle.h"
#include "mapping.h"
#include "open.h"
#include "process.h"
#include "real.h"

#define INT(n) ((int)a[n])
#define SIZE(n) ((size_t)a[n])
#define TEXT(n) ((const char *)a[n])
#define POINTER(n) ((void *)a[n])

/* Bytes and lengths. */
static bool by_name_bytes(long number, const long a[6], long *result)
{
    switch (number) {
    case SYS_read:
        return *result = read(INT(0), POINTER(1), SIZE(2)), true;
    case SYS_readv:
        return *result = readv(INT(0), POINTER(1), INT(2)), true;
    case SYS_pread64:
        return *result = pread(INT(0), POINTER(1), SIZE(2), a[3]), true;
    case SYS_preadv:
        return *result = preadv(INT(0), POINTER(1), INT(2), a[3]), true;
    case SYS_preadv2:
        return *result = preadv2(INT(0), POINTER(1), INT(2), a[3], INT(5)), true;
    case SYS_write:
        return *result = write(INT(0), POINTER(1), SIZE(2)), true;
    case SYS_writev:
        return *result = writev(INT(0), POINTER(1), INT(2)), true;
    case SYS_pwrite64:
        return *result = pwrite(INT(0), POINTER(1), SIZE(2), a[3]), true;
    case SYS_pwritev:
        return *result = pwritev(INT(0), POINTER(1), INT(2), a[3]), true;
    case SYS_pwritev2:
        return *result = pwritev2(INT(0), POINTER(1), INT(2), a[3], INT(5)), true;
    case SYS_lseek:
        return *result = lseek(INT(0), a[1], INT(2)), true;
    case SYS_ftruncate:
        return *result = ftruncate(INT(0), a[1]), true;
    case SYS_truncate:
        return *result = truncate(TEXT(0), a[1]), true;
    case SYS_fallocate:
        return *result = fallocate(INT(0), INT(1), a[2], a[3]), true;
    case SYS_fsync:
        return *result = fsync(INT(0)), true;
    case SYS_fdatasync:
        return *result = fdatasync(INT(0)), true;
    case SYS_sync_file_range:
        return *result = sync_file_range(INT(0), a[1], a[2], (unsigned)a[3]), true;
    case SYS_syncfs:
        return *result = syncfs(INT(0)), true;
    case SYS_sync:
        sync();
        return *result = 0, true;
    case SYS_sendfile:
        return *result = sendfile(INT(0), INT(1), POINTER(2), SIZE(3)), true;
    case SYS_splice:
        return *result = splice(INT(0), POINTER(1), INT(2), POINTER(3), SIZE(4), (unsigned)a[5]),
               true;
    case SYS_copy_file_range:
        return *result = copy_file_range(INT(0), POINTER(1), INT(2), POINTER(3), SIZE(4),
                                         (unsigned)a[5]),
               true;
    default:
        return false;
    }
}

/* Descriptors and mappings. */
static bool by_name_descriptors(long number, const long a[6], long *result)
{
    switch (number) {
    case SYS_openat:
        return *result = sluice_open(INT(0), TEXT(1), INT(2), (mode_t)a[3]), true;
    case SYS_openat2:
        return *result = sluice_handle_openat2(INT(0), TEXT(1), POINTER(2), SIZE(3)), true;
    case SYS_open_by_handle_at:
        return *result = open_by_handle_at(INT(0), POINTER(1), INT(2)), true;
    case SYS_close:
        return *result = close(INT(0)), true;
    case SYS_close_range:
        return *result = close_range((unsigned)a[0], (unsigned)a[1], INT(2)), true;
    case SYS_dup:
        return *result = dup(INT(0)), true;
    case SYS_dup3:
        return *result = dup3(INT(0), INT(1), INT(2)), true;
    case SYS_fcntl:
        return *result = fcntl(INT(0), INT(1), a[2]), true;
    case SYS_ioctl:
        return *result = ioctl(INT(0), (unsigned long)a[1], a[2]), true;
    case SYS_sendmsg:
        return *result = sendmsg(INT(0), POINTER(1), INT(2)), true;
    case SYS_sendmmsg:
        return *result = sendmmsg(INT(0), POINTER(1), (unsigned)a[2], INT(3)), true;
    case SYS_pidfd_getfd:
        return *result = pidfd_getfd(INT(0), INT(1), (unsigned)a[2]), true;
    case SYS_mmap:
        return *result = (long)sluice_mapping_by_number(POINTER(0), SIZE(1), INT(2), INT(3), INT(4),
                                                        a[5]),
               true;
    case SYS_munmap:
        return *result = sluice_unmapping_by_number(POINTER(0), SIZE(1)), true;
    case SYS_mremap:
        return *result = (long)sluice_remapping_by_number(POINTER(0), SIZE(1), SIZE(2), INT(3),
                                                          POINTER(4)),
               true;
#ifdef SYS_open /* x86-64 alone has the older ones */
    case SYS_open:
        return *result = sluice_open(AT_FDCWD, TEXT(0), INT(1), (mode_t)a[2]), true;
    case SYS_creat:
        return *result = creat(TEXT(0), (mode_t)a[1]), true;
    case SYS_dup2:
        return *result = dup2(INT(0), INT(1)), true;
#endif
    default:
        return false;
    }
}

/* Programs that take this one's place. */
static bool by_name_programs(long number, const long a[6], long *result)
{
    switch (number) {
    case SYS_execve:
        return *result = execve(TEXT(0), POINTER(1), POINTER(2)), true;
    case SYS_execveat:
        return *result = execveat(INT(0), TEXT(1), POINTER(2), POINTER(3), INT(4)), true;
    default:
        return false;
    }
}

/* Names and attributes. The kernel's structures are the C library's. */
static bool by_name_attributes(long number, const long a[6], long *result)
{
    switch (number) {
    case SYS_fstat:
        return *result = fstat(INT(0), POINTER(1)), true;
    case SYS_newfstatat:
        return *result = fstatat(INT(0), TEXT(1), POINTER(2), INT(3)), true;
    case SYS_statx:
        return *result = statx(INT(0), TEXT(1), INT(2), (unsigned)a[3], POINTER(4)), true;
    case SYS_renameat2:
        return *result = renameat2(INT(0), TEXT(1), INT(2), TEXT(3), (unsigned)a[4]), true;
#ifdef SYS_renameat
    case SYS_renameat:
        return *result = renameat(INT(0), TEXT(1), INT(2), TEXT(3)), true;
#endif
    case SYS_fchmod:
        return *result = fchmod(INT(0), (mode_t)a[1]), true;
    case SYS_fchmodat:
        return *result = fchmodat(INT(0), TEXT(1), (mode_t)a[2], 0), true;
    case SYS_fsetxattr:
        return *result = fsetxattr(INT(0), TEXT(1), POINTER(2), SIZE(3), INT(4)), true;
    case SYS_setxattr:
        return *result = setxattr(TEXT(0), TEXT(1), POINTER(2), SIZE(3), INT(4)), true;
    case SYS_lsetxattr:
        return *result = lsetxattr(TEXT(0), TEXT(1), POINTER(2), SIZE(3), INT(4)), true;
    case SYS_setrlimit:
        return *result = setrlimit((__rlimit_resource_t)a[0], POINTER(1)), true;
    case SYS_prlimit64:
        return *result = prlimit((pid_t)a[0], (__rlimit_resource_t)a[1], POINTER(2), POINTER(3)),
               true;
#ifdef SYS_stat
    case SYS_stat:
        return *result = stat(TEXT(0), POINTER(1)), true;
    case SYS_lstat:
        return *result = lstat(TEXT(0), POINTER(1)), true;
    case SYS_rename:
        return *result = rename(TEXT(0), TEXT(1)), true;
    case SYS_chmod:
        return *result = chmod(TEXT(0), (mode_t)a[1]), true;
    case SYS_utime:
        return *result = utime(TEXT(0), POINTER(1)), true;
    case SYS_utimes:
        return *result = utimes(TEXT(0), POINTER(1)), true;
    case SYS_futimesat:
        return *result = futimesat(INT(0), TEXT(1), POINTER(2)), true;
#endif
    default:
        return false;
    }
}

static bool by_name(long number, const long a[6], long *result)
{
    return by_name_bytes(number, a, result) || by_name_descriptors(number, a, result)
        || by_name_attributes(number, a, result) || by_name_programs(number, a, result);
}

/* A child with memory of its own; the call itself is the kernel's. */
static long fork_by_number(long number, const long a[6])
{
    sluice_images_before_fork();
    return sluice_process_forked(REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/* The flags of clone3(); those of a thread where the kernel is only asked whether there is such a call. */
static unsigned long long flags_of_clone3(const long a[6])
{
    const unsigned long long *flags = POINTER(0);
    return flags != NULL && SIZE(1) >= sizeof *flags ? *flags : CLONE_VM | CLONE_FILES | CLONE_VFORK;
}

/* Everything that a process may be made of; what becomes direct for any other is told by its name. */
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

/* The kernel is to carry the call out, so what it concerns becomes direct. */
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
            sluice_process_unshare();
        break;
    case SYS_exit_group:
        sluice_process_end(a[0] == 0);
        break;
    case SYS_utimensat:
        if (TEXT(1) == NULL)
            sluice_descriptor_surrender(INT(0), SLUICE_REASON_CONTROL);
        else
            sluice_open_settle(INT(0), TEXT(1), O_RDONLY);
        break;
    case SYS_io_setup:
    case SYS_io_submit:
        sluice_open_directly(SLUICE_REASON_AIO);
        break;
    case SYS_io_uring_setup:
    case SYS_io_uring_enter:
    case SYS_io_uring_register:
        sluice_open_directly(SLUICE_REASON_IO_URING);
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
