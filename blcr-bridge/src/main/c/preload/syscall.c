/* Programs that call the kernel by number, past the other wrappers. */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "description.h"
#include "open.h"
#include "real.h"

/* The kernel is to carry the call out, so what it concerns becomes direct. */
static void surrender_for(long number, const long arguments[6])
{
    switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_lseek:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_fcntl:
    case SYS_ioctl:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync_file_range:
        sluice_descriptor_surrender((int)arguments[0], SLUICE_REASON_SYSCALL);
        break;
    case SYS_sendfile:
        sluice_descriptor_surrender((int)arguments[0], SLUICE_REASON_SYSCALL);
        sluice_descriptor_surrender((int)arguments[1], SLUICE_REASON_SYSCALL);
        break;
    case SYS_splice:
    case SYS_copy_file_range:
        sluice_descriptor_surrender((int)arguments[0], SLUICE_REASON_SYSCALL);
        sluice_descriptor_surrender((int)arguments[2], SLUICE_REASON_SYSCALL);
        break;
    case SYS_mmap:
        sluice_descriptor_surrender((int)arguments[4], SLUICE_REASON_MMAP);
        break;
    case SYS_clone:
    case SYS_clone3:
    case SYS_execve:
    case SYS_execveat:
        sluice_images_surrender(SLUICE_REASON_FORK);
        break;
    case SYS_io_submit:
        sluice_images_surrender(SLUICE_REASON_AIO);
        break;
    case SYS_io_uring_enter:
    case SYS_io_uring_register:
        sluice_images_surrender(SLUICE_REASON_IO_URING);
        break;
    default:
        break;
    }
}

/* Calls that change the table of descriptors go through the wrapper of that name. */
static bool changes_table(long number, const long arguments[6], long *result)
{
    switch (number) {
    case SYS_openat:
        *result = sluice_open((int)arguments[0], (const char *)arguments[1], (int)arguments[2],
                              (mode_t)arguments[3]);
        return true;
    case SYS_close:
        *result = close((int)arguments[0]);
        return true;
    case SYS_dup:
        *result = dup((int)arguments[0]);
        return true;
    case SYS_dup3:
        *result = dup3((int)arguments[0], (int)arguments[1], (int)arguments[2]);
        return true;
#ifdef SYS_open /* x86-64 alone has the older ones */
    case SYS_open:
        *result = sluice_open(AT_FDCWD, (const char *)arguments[0], (int)arguments[1],
                              (mode_t)arguments[2]);
        return true;
    case SYS_dup2:
        *result = dup2((int)arguments[0], (int)arguments[1]);
        return true;
#endif
    default:
        return false;
    }
}

SLUICE_WRAPPER long syscall(long number, ...)
{
    va_list list;
    long arguments[6], result;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (sluice_capture_on() && !sluice_guard_inside()) {
        if (changes_table(number, arguments, &result))
            return result;
        surrender_for(number, arguments);
    }
    return REAL(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3],
                         arguments[4], arguments[5]);
}
