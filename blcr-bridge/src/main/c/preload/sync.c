#include <unistd.h>

#include "description.h"
#include "habit.h"
#include "real.h"

/* Everything written to `fd` so far is made durable. -ESTALE: by the kernel alone. */
static int sync_log(int fd)
{
    struct description *description = sluice_description_lock(fd);
    if (description == NULL)
        return -ESTALE;
    struct image *image = description->image;
    int error = -ESTALE;
    if (!image->small && sluice_habit_harms(image))
        sluice_image_surrender(image, SLUICE_REASON_READ);
    else if (!image->small && (error = sluice_log_sync(&image->log)) == -ESTALE)
        sluice_image_surrender(image, SLUICE_REASON_OTHER);
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
        const int error = sluice_description_logged(fd) ? sync_log(fd) : -ESTALE;                  \
        return error == -ESTALE ? REAL(name) arguments : (int)sluice_guard_result(error);          \
    }

SYNCHRONISES(fsync, (int fd), (fd))
SYNCHRONISES(fdatasync, (int fd), (fd))
SYNCHRONISES(sync_file_range, (int fd, off64_t offset, off64_t count, unsigned flags),
             (fd, offset, count, flags))

SLUICE_BEFORE(void, sync, (void), (), sluice_images_each(sync_image, SLUICE_REASON_OTHER))
SLUICE_BEFORE(int, syncfs, (int fd), (fd), sluice_images_each(sync_image, SLUICE_REASON_OTHER))
