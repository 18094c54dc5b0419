#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "image.h"
#include "kernel.h"
#include "real.h"

int64_t sluice_image_size(struct image *image)
{
    struct stat status;
    if (!image->small)
        return sluice_log_size(&image->log);
    return REAL(fstat)(image->descriptions->fd, &status) == 0 ? status.st_size : -errno;
}

/*
 * Empties a file opened for reading only, as O_TRUNC does. No call with the descriptor would do
 * that.
 */
static int empty_unwritable(struct image *image, int fd)
{
    char link[32];
    for (struct description *each = image->descriptions; each != NULL; each = each->next)
        if (each->writes)
            return sluice_kernel_truncate(each->fd, 0);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const int writable = sluice_kernel_open(link, O_WRONLY | O_TRUNC);
    sluice_kernel_close(writable);
    return writable < 0 ? writable : 0;
}

int sluice_image_empty(struct image *image, int fd)
{
    const bool writable = sluice_flags_write(REAL(fcntl)(fd, F_GETFL));
    const int error = writable && sluice_log_diverted(&image->log)
        ? sluice_log_truncate(&image->log, fd, 0)
        : -ESTALE;
    if (error != -ESTALE)
        return error;
    sluice_image_surrender(image, writable ? SLUICE_REASON_SHARED : SLUICE_REASON_CONTROL);
    return writable ? sluice_kernel_truncate(fd, 0) : empty_unwritable(image, fd);
}
