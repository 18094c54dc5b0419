#include <unistd.h>

#include "description.h"
#include "limit.h"
#include "real.h"
#include "recording.h"

/* The kernel looks for them in the file, so the file must hold everything. */
static int64_t seek_extent(struct description *description, off_t offset, int whence)
{
    const int error = sluice_image_settle(description->image);
    if (error != 0)
        return error;
    const off_t found = REAL(lseek)(description->fd, offset, whence);
    if (found >= 0)
        description->kernel = found;
    return found < 0 ? -errno : found;
}

/* Returns the new offset; -ESTALE when the image turned out to be direct. */
static int64_t seek(struct description *description, off_t offset, int whence)
{
    int64_t base = 0;
    if (whence == SEEK_DATA || whence == SEEK_HOLE)
        return seek_extent(description, offset, whence);
    if (whence == SEEK_CUR)
        base = description->offset;
    else if (whence == SEEK_END)
        base = sluice_image_size(description->image);
    else if (whence != SEEK_SET)
        return -EINVAL;
    if (base < 0)
        return base;
    if (__builtin_add_overflow(base, offset, &base) || base < 0)
        return -EINVAL;
    if (base > SLUICE_LARGEST_FILE) {
        if (REAL(lseek)(description->fd, base, SEEK_SET) < 0)
            return -errno; /* the file system knows its limit */
        description->kernel = base;
    }
    return base;
}

SLUICE_WRAPPER off_t lseek(int fd, off_t offset, int whence)
{
    struct description *description = sluice_description_lock(fd);
    if (description == NULL) {
        sluice_recording_moved(fd);
        return REAL(lseek)(fd, offset, whence);
    }
    const int64_t found = seek(description, offset, whence);
    if (found >= 0)
        description->offset = found;
    else if (found == -ESTALE)
        sluice_image_surrender(description->image, SLUICE_REASON_OTHER);
    sluice_description_unlock(description);
    return found == -ESTALE ? REAL(lseek)(fd, offset, whence) : sluice_guard_result(found);
}
