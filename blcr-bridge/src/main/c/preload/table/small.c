#include "small.h"

#include "creation_word.h"
#include "descriptors.h"
#include "kernel.h"
#include "segment.h"

static void count_file(int reason)
{
    const struct sluice_segment *segment = sluice_capture_segment();
    if (segment != NULL)
        atomic_fetch_add_explicit(&segment->header->plain_files[reason], 1, memory_order_relaxed);
}

bool sluice_small_unannounced(const struct stat *status, int *announced, bool *small,
                              struct sluice_disposition *disposition)
{
    const enum sluice_creation found =
        sluice_creation_look(status, announced, &disposition->reason);
    *small = found == SLUICE_CREATION_BEGIN;
    if (found == SLUICE_CREATION_PLAIN && (*announced & SLUICE_REQUEST_OPEN_WRITE))
        count_file(disposition->reason);
    return found != SLUICE_CREATION_ASK;
}

static void end(struct image *image, int reason)
{
    image->small = false;
    sluice_creation_end(image->device, image->inode);
    count_file(reason);
}

static void stay_plain(struct image *image, int reason)
{
    end(image, reason);
    image->log.tally.reason = reason;
    sluice_image_return(image);
    for (struct description *each = image->descriptions; each != NULL; each = each->next)
        each->watched = true;
}

/*
 * Announces the file as an image. False if the I/O process makes it none, or another process has
 * opened it.
 */
static bool announce(struct image *image, int flags)
{
    struct sluice_disposition disposition = {.kind = SLUICE_REQUEST_PLAIN};
    struct stat status;
    char path[PATH_MAX];
    const int fd = image->descriptions->fd;
    const int announced = SLUICE_REQUEST_OPEN_GROWN | SLUICE_REQUEST_OPEN_WRITE | flags;
    if (!sluice_creation_grow(image->device, image->inode)
        || !sluice_capture_file(fd, &status, path)
        || sluice_image_announce(fd, &status, announced, path, &disposition) != 0
        || disposition.kind == SLUICE_REQUEST_PLAIN) {
        return false;
    }
    const uint32_t directs = image->log.directs;
    disposition.size = 0; /* nothing of it was logged */
    sluice_log_init(&image->log, sluice_capture_client(), &disposition);
    image->log.directs = directs;
    image->small = false;
    image->openings = 1;
    image->writable = true;
    if (sluice_log_diverted(&image->log))
        sluice_log_grown(&image->log, status.st_size);
    else
        sluice_image_return(image);
    sluice_creation_end(image->device, image->inode);
    return true;
}

void sluice_small_grow_to(struct image *image, int64_t end)
{
    if (!image->small)
        return;
    const struct sluice_segment *segment = sluice_capture_segment();
    const bool alone = segment != NULL && sluice_creation_holds(image->device, image->inode);
    if (!alone || (end > segment->header->small && !announce(image, 0)))
        stay_plain(image, SLUICE_REASON_SHARED);
}

void sluice_small_leave(struct image *image, int reason)
{
    const bool unseen = (INT64_C(1) << reason & (int64_t)SLUICE_REASON_UNSEEN) != 0;
    if (!unseen || image->descriptions == NULL || !announce(image, sluice_open_direct(reason)))
        stay_plain(image, reason);
}

void sluice_small_close(struct image *image)
{
    end(image, SLUICE_REASON_SMALL);
}

ssize_t sluice_small_write(struct image *image, int fd, const void *data, size_t length,
                           int64_t offset)
{
    const ssize_t written = sluice_kernel_pwrite(fd, data, length, offset);
    image->log.directs++;
    sluice_tally_add(&image->log.tally, SLUICE_REASON_SMALL, written);
    return written;
}
