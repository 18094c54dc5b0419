/*
 * What the log cannot follow: the image first becomes direct, for good, and then the kernel does
 * what it always does.
 */
#include <aio.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "description.h"
#include "open.h"
#include "real.h"
#include "recording.h"

SLUICE_WRAPPER ssize_t sendfile(int out, int in, off_t *offset, size_t count)
{
    sluice_descriptor_surrender(out, SLUICE_REASON_SENDFILE);
    sluice_descriptor_surrender(in, SLUICE_REASON_SENDFILE);
    sluice_recording_moved(in);
    return RECORDED(out, -1, SLUICE_TRACE_COPY, sluice_descriptor_count_for(
                        out, SLUICE_REASON_SENDFILE,
                        REAL(sendfile)(out, in, offset, count)));
}

SLUICE_WRAPPER ssize_t splice(int in, off64_t *in_offset, int out, off64_t *out_offset,
                              size_t length, unsigned flags)
{
    sluice_descriptor_surrender(out, SLUICE_REASON_SPLICE);
    sluice_descriptor_surrender(in, SLUICE_REASON_SPLICE);
    sluice_recording_moved(in);
    const int64_t at = out_offset != NULL ? *out_offset : -1;
    return RECORDED(out, at, SLUICE_TRACE_COPY,
                    sluice_descriptor_count_for(
                        out, SLUICE_REASON_SPLICE,
                        REAL(splice)(in, in_offset, out, out_offset, length, flags)));
}

SLUICE_WRAPPER ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset,
                                       size_t length, unsigned flags)
{
    sluice_descriptor_surrender(out, SLUICE_REASON_COPY_FILE_RANGE);
    sluice_descriptor_surrender(in, SLUICE_REASON_COPY_FILE_RANGE);
    sluice_recording_moved(in);
    const int64_t at = out_offset != NULL ? *out_offset : -1;
    return RECORDED(out, at, SLUICE_TRACE_COPY,
                    sluice_descriptor_count_for(
                        out, SLUICE_REASON_COPY_FILE_RANGE,
                        REAL(copy_file_range)(in, in_offset, out, out_offset, length, flags)));
}

/* Terminal requests, by which programs ask whether this is one, do nothing to a file. */
SLUICE_WRAPPER int ioctl(int fd, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (request != TCGETS && request != TIOCGWINSZ && request != FIOCLEX && request != FIONCLEX)
        sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
    return REAL(ioctl)(fd, request, argument);
}

/* Locks from the offset that the kernel knows. */
SLUICE_WRAPPER int lockf(int fd, int command, off_t length)
{
    sluice_descriptor_surrender(fd, SLUICE_REASON_LOCK);
    return REAL(lockf)(fd, command, length);
}

/* A descriptor that is sent shares its offset with the receiver's. */
SLUICE_WRAPPER ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
    struct cmsghdr *each = message->msg_control != NULL ? CMSG_FIRSTHDR(message) : NULL;
    for (; each != NULL; each = CMSG_NXTHDR((struct msghdr *)message, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = CMSG_LEN(0); at + sizeof(int) <= each->cmsg_len; at += sizeof(int)) {
            int fd;
            memcpy(&fd, (char *)each + at, sizeof fd);
            sluice_descriptor_surrender(fd, SLUICE_REASON_PASSED);
        }
    }
    return REAL(sendmsg)(socket, message, flags);
}

SLUICE_WRAPPER int aio_read(struct aiocb *control)
{
    sluice_descriptor_surrender(control->aio_fildes, SLUICE_REASON_AIO);
    return REAL(aio_read)(control);
}

SLUICE_WRAPPER int aio_write(struct aiocb *control)
{
    sluice_descriptor_surrender(control->aio_fildes, SLUICE_REASON_AIO);
    return REAL(aio_write)(control);
}

SLUICE_WRAPPER int aio_fsync(int operation, struct aiocb *control)
{
    sluice_descriptor_surrender(control->aio_fildes, SLUICE_REASON_AIO);
    return REAL(aio_fsync)(operation, control);
}

SLUICE_WRAPPER int lio_listio(int mode, struct aiocb *const list[restrict], int count,
                              struct sigevent *restrict event)
{
    for (int i = 0; i < count; i++)
        if (list[i] != NULL)
            sluice_descriptor_surrender(list[i]->aio_fildes, SLUICE_REASON_AIO);
    return REAL(lio_listio)(mode, list, count, event);
}

/* Times that a later drain would undo: the file must hold everything before they are set. */
SLUICE_WRAPPER int futimens(int fd, const struct timespec times[2])
{
    sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
    return REAL(futimens)(fd, times);
}

SLUICE_WRAPPER int utimensat(int dirfd, const char *path, const struct timespec times[2], int flags)
{
    if (!(flags & AT_SYMLINK_NOFOLLOW))
        sluice_open_settle(dirfd, path);
    return REAL(utimensat)(dirfd, path, times, flags);
}

ssize_t sendfile64(int out, int in, off_t *offset, size_t count) SLUICE_ALIAS(sendfile);
int lockf64(int fd, int command, off_t length) SLUICE_ALIAS(lockf);
int aio_read64(struct aiocb64 *control) SLUICE_ALIAS(aio_read);
int aio_write64(struct aiocb64 *control)
    SLUICE_ALIAS(aio_write);
int aio_fsync64(int operation, struct aiocb64 *control)
    SLUICE_ALIAS(aio_fsync);
int lio_listio64(int mode, struct aiocb64 *const list[restrict], int count,
                 struct sigevent *restrict event)
    SLUICE_ALIAS(lio_listio);
