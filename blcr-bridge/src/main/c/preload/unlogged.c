/*
 * What the log cannot follow: the image first becomes direct, for good, and then the kernel does
 * what it always does.
 */
#include <aio.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "description.h"
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

/* Some requests name another file. */
static void surrender_other(unsigned long request, const void *argument)
{
    const struct file_clone_range *range = argument;
    const struct file_dedupe_range *same = argument;
    switch (request) {
    case FICLONE:
    case LOOP_SET_FD:
    case LOOP_CHANGE_FD:
        sluice_descriptor_surrender((int)(intptr_t)argument, SLUICE_REASON_CONTROL);
        break;
    case FICLONERANGE:
        sluice_descriptor_surrender((int)range->src_fd, SLUICE_REASON_CONTROL);
        break;
    case FIDEDUPERANGE:
        for (unsigned i = 0; i < same->dest_count; i++)
            sluice_descriptor_surrender((int)same->info[i].dest_fd, SLUICE_REASON_CONTROL);
        break;
    case LOOP_CONFIGURE:
        sluice_descriptor_surrender((int)((const struct loop_config *)argument)->fd, SLUICE_REASON_CONTROL);
        break;
    default:
        break;
    }
}

/* Terminal requests, by which programs ask whether this is one, do nothing to a file. */
SLUICE_WRAPPER int ioctl(int fd, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (request != TCGETS && request != TIOCGWINSZ && request != FIOCLEX && request != FIONCLEX) {
        sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
        surrender_other(request, argument);
    }
    return REAL(ioctl)(fd, request, argument);
}

/* Locks from the offset that the kernel knows. */
SLUICE_WRAPPER int lockf(int fd, int command, off_t length)
{
    sluice_descriptor_surrender(fd, SLUICE_REASON_LOCK);
    return REAL(lockf)(fd, command, length);
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
