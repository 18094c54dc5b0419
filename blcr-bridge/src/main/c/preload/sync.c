#include <unistd.h>

#include "description.h"
#include "habit.h"
#include "real.h"

/* -ESTALE: the kernel has all, and makes it durable. */
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

/* Everything written to `fd` so far is made durable. -ESTALE: by the kernel alone. */
static int sync_file(int fd)
{
    struct description *description = sluice_description_lock(fd);
    if (description == NULL)
        return sync_direct(fd);
    struct image *image = description->image;
    int error = -ESTALE;
    if (!image->small && sluice_habit_harms(image))
        sluice_image_surrender(image, SLUICE_REASON_READ);
    else if (!image->small && (error = sluice_log_sync(&image->log)) == -ESTALE)
        sluice_image_surrender(image, SLUICE_REASON_OTHER);
    if (error == -ESTALE)
        error = sluice_image_settle_rest(image);
    sluice_description_unlock(description);
    return error;
}

static void sync_image(struct image *image, int reason)
{
    if (!image->small && sluice_log_sync(&image->log) == -ESTALE)
        sluice_image_surrender(image, reason);
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

SLUICE_BEFORE(void, sync, (void), (), sluice_images_each(sync_image, SLUICE_REASON_OTHER))
SLUICE_BEFORE(int, syncfs, (int fd), (fd), sluice_images_each(sync_image, SLUICE_REASON_OTHER))
