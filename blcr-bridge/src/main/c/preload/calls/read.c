#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "description.h"
#include "real.h"
#include "recording.h"

/*
 * Locks a logged description for reading and settles its image: the file may be read, at the
 * description's offset. NULL when the call is the kernel's; `*error` is set when it must fail.
 */
static struct description *lock_settled(int fd, int *error)
{
    *error = 0;
    struct description *description = sluice_description_lock(fd);
    if (description == NULL)
        return NULL;
    if (description->reads)
        *error = sluice_image_settle(description->image);
    if (*error == 0)
        return description;
    sluice_description_unlock(description);
    *error = *error == -ESTALE ? 0 : *error;
    return NULL;
}

/* Reads into `vector` at the description's offset, as the kernel would at its own. */
static ssize_t read_vector(int fd, const struct iovec *vector, int count)
{
    int error;
    struct description *description = lock_settled(fd, &error);
    if (description == NULL)
        return error != 0 ? sluice_guard_result(error) : REAL(readv)(fd, vector, count);
    ssize_t got = REAL(preadv)(fd, vector, count, description->offset);
    if (got > 0)
        description->offset += got;
    got = got < 0 ? -errno : got;
    sluice_description_unlock(description);
    return sluice_guard_result(got);
}

/* Reads the file as it is. Called inside the guard. */
static ssize_t read_inside(int fd, void *data, size_t length)
{
    struct description *description = sluice_description_of(fd);
    const ssize_t got = REAL(pread)(fd, data, length, description->offset);
    if (got > 0)
        description->offset += got;
    return got;
}

/* Settles a file before a positioned read: 0, or -1 and errno. */
static long settle(int fd)
{
    int error;
    if (!sluice_description_logged(fd))
        return 0;
    struct description *description = lock_settled(fd, &error);
    if (description != NULL)
        sluice_description_unlock(description);
    return sluice_guard_result(error);
}

SLUICE_WRAPPER ssize_t read(int fd, void *data, size_t length)
{
    if (!sluice_description_logged(fd)) {
        sluice_recording_moved(fd);
        return REAL(read)(fd, data, length);
    }
    if (sluice_guard_inside())
        return read_inside(fd, data, length);
    const struct iovec vector = {data, length};
    return read_vector(fd, &vector, 1);
}

SLUICE_WRAPPER ssize_t readv(int fd, const struct iovec *vector, int count)
{
    if (sluice_description_logged(fd))
        return read_vector(fd, vector, count);
    sluice_recording_moved(fd);
    return REAL(readv)(fd, vector, count);
}

SLUICE_AS(ssize_t, pread, (int fd, void *data, size_t length, off_t offset),
          settle(fd) < 0 ? -1 : REAL(pread)(fd, data, length, offset))
SLUICE_AS(ssize_t, preadv, (int fd, const struct iovec *vector, int count, off_t offset),
          settle(fd) < 0 ? -1 : REAL(preadv)(fd, vector, count, offset))

SLUICE_WRAPPER ssize_t preadv2(int fd, const struct iovec *vector, int count, off_t offset,
                               int flags)
{
    if (offset == -1 && sluice_description_logged(fd))
        return read_vector(fd, vector, count);
    if (offset == -1)
        sluice_recording_moved(fd);
    return settle(fd) < 0 ? -1 : REAL(preadv2)(fd, vector, count, offset, flags);
}

/* The variants of _FORTIFY_SOURCE. */
SLUICE_AS(ssize_t, __read_chk, (int fd, void *data, size_t length, size_t room),
          (sluice_check_fit(length, room), read(fd, data, length)))
SLUICE_AS(ssize_t, __pread_chk, (int fd, void *data, size_t length, off_t offset, size_t room),
          (sluice_check_fit(length, room), pread(fd, data, length, offset)))
