#include <sys/stat.h>
#include <unistd.h>

#include "description.h"
#include "real.h"
#include "usage.h"

/* Prepares the sync of a direct file. -ESTALE: the kernel has all, and makes it durable. */
static int sync_direct(int fd)
{
    struct description *description = sluice_description_of(fd);
    struct image *image = description != NULL ? description->image : NULL;
    if (image == NULL || !sluice_log_diverted(&image->log) || sluice_guard_inside())
        return -ESTALE;
    int error = -ESTALE;
    sluice_images_lock();
    description = sluice_description_of(fd);
    if (description != NULL && sluice_image_lock(description->image)) {
        error = sluice_image_settle_rest(description->image);
        sluice_lock_release(&description->image->lock);
    }
    sluice_images_unlock();
    return error;
}

/* Makes everything written to `fd` so far durable. -ESTALE: the kernel alone does that. */
static int sync_file(int fd)
{
    struct description *description = sluice_description_lock(fd);
    if (description == NULL)
        return sync_direct(fd);
    struct image *image = description->image;
    int error = -ESTALE;
    if (!image->small && sluice_usage_harms(image))
        sluice_image_surrender(image, SLUICE_REASON_READ);
    else if (!image->small && (error = sluice_log_sync(&image->log)) == -ESTALE)
        sluice_image_surrender(image, SLUICE_REASON_OTHER);
    if (error == -ESTALE)
        error = sluice_image_settle_rest(image);
    sluice_description_unlock(description);
    return error;
}

#define SYNCHRONISES(name, parameters, arguments)                                                  \
    SLUICE_WRAPPER int name parameters                                                             \
    {                                                                                              \
        const int error = sync_file(fd);                                                           \
        return error == -ESTALE ? REAL(name) arguments : (int)sluice_guard_result(error);          \
    }

SYNCHRONISES(fsync, (int fd), (fd))
SYNCHRONISES(fdatasync, (int fd), (fd))
SYNCHRONISES(sync_file_range, (int fd, off64_t offset, off64_t count, unsigned flags),
             (fd, offset, count, flags))

/* A synchronisation of a file system: the first error that an image there has met, or 0. */
struct synchronisation {
    dev_t device;
    int error;
};

/* The synchronisation of this thread; a signal handler may make another one. */
static _Thread_local struct synchronisation *current;

static void sync_image(struct image *image, int reason)
{
    int error = image->small ? -ESTALE : sluice_log_sync(&image->log);
    if (error == -ESTALE) {
        if (!image->small)
            sluice_image_surrender(image, reason);
        error = sluice_image_settle_rest(image);
    }
    if (error != -ESTALE && current->error == 0 && image->device == current->device)
        current->error = error;
}

static int sync_images(dev_t device)
{
    struct synchronisation its = {.device = device}, *interrupted = current;
    current = &its;
    sluice_images_each(sync_image, SLUICE_REASON_OTHER);
    current = interrupted;
    return its.error;
}

SLUICE_BEFORE(void, sync, (void), (), sync_images(0))

SLUICE_WRAPPER int syncfs(int fd)
{
    struct stat status = {0};
    REAL(fstat)(fd, &status); /* on failure the kernel refuses the descriptor next */
    const int error = sync_images(status.st_dev);
    const int result = REAL(syncfs)(fd);
    return result == 0 ? (int)sluice_guard_result(error) : result;
}
