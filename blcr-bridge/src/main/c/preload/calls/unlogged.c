/*
 * The calls that the log cannot follow. The image first becomes direct, for good; then the kernel
 * does the call.
 */
#include <aio.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "description.h"
#include "real.h"
#include "recording.h"

/* Defines a copy by the kernel, to `at`, NULL for the offset of `out`. */
#define COPY(name, parameters, arguments, at, reason)                                              \
    SLUICE_WRAPPER ssize_t name parameters                                                         \
    {                                                                                              \
        const off64_t *const at_ = at;                                                             \
        const int64_t offset_ = at_ != NULL ? *at_ : -1;                                           \
        sluice_descriptor_surrender(out, reason);                                                  \
        sluice_descriptor_surrender(in, reason);                                                   \
        sluice_recording_moved(in);                                                                \
        return RECORDED(out, offset_, SLUICE_TRACE_COPY,                                           \
                        sluice_descriptor_count(out, reason, REAL(name) arguments));               \
    }

COPY(sendfile, (int out, int in, off_t *offset, size_t count), (out, in, offset, count), NULL,
     SLUICE_REASON_SENDFILE)
COPY(splice, (int in, off64_t *from, int out, off64_t *to, size_t length, unsigned flags),
     (in, from, out, to, length, flags), to, SLUICE_REASON_SPLICE)
COPY(copy_file_range, (int in, off64_t *from, int out, off64_t *to, size_t length, unsigned flags),
     (in, from, out, to, length, flags), to, SLUICE_REASON_COPY_FILE_RANGE)

/* Makes another file direct that a request names. */
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
        sluice_descriptor_surrender((int)((const struct loop_config *)argument)->fd,
                                    SLUICE_REASON_CONTROL);
        break;
    default:
        break;
    }
}

/* Terminal requests, by which programs ask if this is a terminal, do nothing to a file. */
SLUICE_WRAPPER int ioctl(int fd, unsigned long request, ...)
{
    void *argument = SLUICE_NEXT(void *, request);
    if (request != TCGETS && request != TIOCGWINSZ && request != FIOCLEX && request != FIONCLEX) {
        sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
        surrender_other(request, argument);
    }
    return REAL(ioctl)(fd, request, argument);
}

/* Locks from the offset that the kernel knows. */
SLUICE_BEFORE(int, lockf, (int fd, int command, off_t length), (fd, command, length),
              sluice_descriptor_surrender(fd, SLUICE_REASON_LOCK))

static void surrender_queued(struct aiocb *const list[], int count)
{
    for (int i = 0; i < count; i++)
        if (list[i] != NULL)
            sluice_descriptor_surrender(list[i]->aio_fildes, SLUICE_REASON_AIO);
}

SLUICE_BEFORE(int, aio_read, (struct aiocb *const control), (control),
              surrender_queued(&control, 1))
SLUICE_BEFORE(int, aio_write, (struct aiocb *const control), (control),
              surrender_queued(&control, 1))
SLUICE_BEFORE(int, aio_fsync, (int operation, struct aiocb *control), (operation, control),
              surrender_queued(&control, 1))
SLUICE_BEFORE(int, lio_listio,
              (int mode, struct aiocb *const list[restrict], int count,
               struct sigevent *restrict event),
              (mode, list, count, event), surrender_queued(list, count))
