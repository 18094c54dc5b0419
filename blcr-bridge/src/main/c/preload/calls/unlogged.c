/*
 * The calls that the log cannot follow. The image first becomes direct, for good; then the kernel
 * does the call.
 */
#include <aio.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "description.h"
#include "real.h"

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

/*
 * Clones into a logged file that is still empty. Most file systems cannot, as a program finds out
 * that tries this before it copies. Then nothing has changed, and the file stays logged.
 */
static bool clone_into_empty(int fd, unsigned long request, void *argument, long *result)
{
    struct description *description = sluice_description_lock(fd);
    if (description == NULL)
        return false;
    const bool empty = description->image->fresh;
    if (empty) {
        *result = REAL(ioctl)(fd, request, argument);
        if (*result < 0)
            *result = -errno;
        else
            sluice_image_surrender(description->image, SLUICE_REASON_CONTROL);
    }
    sluice_description_unlock(description);
    return empty;
}

/* Terminal requests, by which programs ask if this is a terminal, do nothing to a file. */
SLUICE_WRAPPER int ioctl(int fd, unsigned long request, ...)
{
    void *argument = SLUICE_NEXT(void *, request);
    long result;
    if (request != TCGETS && request != TIOCGWINSZ && request != FIOCLEX && request != FIONCLEX) {
        surrender_other(request, argument);
        if ((request == FICLONE || request == FICLONERANGE)
            && clone_into_empty(fd, request, argument, &result)) {
            return (int)sluice_guard_result(result);
        }
        sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
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
