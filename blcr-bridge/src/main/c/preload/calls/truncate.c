/* The calls that change the length of a file. */
#include <fcntl.h>
#include <unistd.h>

#include "description.h"
#include "kernel.h"
#include "limit.h"
#include "names.h"
#include "open.h"
#include "real.h"
#include "small.h"

/* Changes the length of a file that this process logs. -ESTALE: the kernel has to do it. */
static int cut_image(int fd, off_t size)
{
    struct description *description = sluice_description_lock(fd);
    if (description == NULL)
        return -ESTALE;
    struct image *image = description->image;
    int error = -ESTALE;
    sluice_small_grow_to(image, size == 0 && sluice_names_filled() ? INT64_MAX : size);
    if (image->small && description->writes && size >= 0)
        error = sluice_kernel_truncate(fd, size);
    else if (description->writes && size >= 0 && size <= sluice_limit())
        error = sluice_log_truncate(&image->log, fd, size);
    if (error == -ESTALE)
        sluice_image_surrender(image, SLUICE_REASON_LIMIT);
    else if (error == 0)
        image->unsettled = image->unstamped = true;
    sluice_description_unlock(description);
    return error;
}

SLUICE_WRAPPER int ftruncate(int fd, off_t size)
{
    const int error = cut_image(fd, size);
    const int result =
        error == -ESTALE ? REAL(ftruncate)(fd, size) : (int)sluice_guard_result(error);
    if (result == 0 && size == 0)
        sluice_names_emptied(fd);
    return result;
}

/* Has the kernel change the length of a file that this process logs by no other name. */
static int cut_file(const char *path, off_t size)
{
    const int result = REAL(truncate)(path, size);
    const int fd = result == 0 && size == 0 && sluice_names_filled()
        ? REAL(openat)(AT_FDCWD, path, O_PATH | O_CLOEXEC)
        : -1;
    if (fd >= 0) {
        sluice_names_emptied(fd);
        REAL(close)(fd);
    }
    return result;
}

/* Opens an image by its name first, so that the log knows of the change. */
SLUICE_WRAPPER int truncate(const char *path, off_t size)
{
    struct stat status;
    if (!sluice_capture_on() || sluice_guard_inside()
        || REAL(fstatat)(AT_FDCWD, path, &status, 0) != 0
        || sluice_capture_image_state(&status) == SLUICE_IMAGE_STATE_FREE
        || sluice_images_surrender_file(&status, SLUICE_REASON_CONTROL)) {
        return cut_file(path, size);
    }
    const int empties = size == 0 ? O_TRUNC : 0;
    const int fd = sluice_open(AT_FDCWD, path, O_WRONLY | O_CLOEXEC | empties, 0);
    if (fd < 0)
        return -1;
    int result = ftruncate(fd, size);
    const int error = errno;
    if (close(fd) != 0)
        return -1;
    errno = error;
    return result;
}

/* Makes the image as long as the kernel's allocation. The log knows no blocks, only a size. */
static void extend_image(int fd, off_t end)
{
    struct description *description = sluice_description_lock(fd);
    if (description == NULL)
        return;
    struct image *image = description->image;
    sluice_small_grow_to(image, end);
    sluice_tally_note(&image->log.tally,
                      SLUICE_REASON_CONTROL); /* the file has blocks that nobody wrote */
    const int64_t size = sluice_image_size(image);
    if (size < 0 || (size < end && sluice_log_truncate(&image->log, fd, end) != 0))
        sluice_image_surrender(image, SLUICE_REASON_CONTROL);
    image->unsettled = true;
    sluice_description_unlock(description);
}

SLUICE_WRAPPER int fallocate(int fd, int mode, off_t offset, off_t length)
{
    if (mode != 0)
        sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
    const int result = REAL(fallocate)(fd, mode, offset, length);
    if (result == 0 && sluice_description_logged(fd))
        extend_image(fd, offset + length);
    return result;
}

/*
 * Allocates, or lets the C library write zeros where the file system cannot; the file must hold
 * everything before.
 */
SLUICE_WRAPPER int posix_fallocate(int fd, off_t offset, off_t length)
{
    if (!sluice_description_logged(fd))
        return REAL(posix_fallocate)(fd, offset, length);
    const int before = errno;
    const int error = REAL(fallocate)(fd, 0, offset, length) == 0 ? 0 : errno;
    errno = before;
    if (error == EOPNOTSUPP) {
        sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
        return REAL(posix_fallocate)(fd, offset, length);
    }
    if (error == 0)
        extend_image(fd, offset + length);
    return error;
}
