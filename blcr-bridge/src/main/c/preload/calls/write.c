#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "description.h"
#include "limit.h"
#include "real.h"
#include "recording.h"
#include "small.h"
#include "tell.h"
#include "write.h"

#define MOST_IN_ONE_CALL 0x7ffff000 /* bytes that Linux writes at most in one call */

/* Writes to the log; -ESTALE when the description has left it and the kernel is to do the rest. */
static ssize_t log_bytes(struct description *description, const void *data, size_t length,
                         int64_t offset)
{
    struct image *image = description->image;
    const ssize_t written = image->small
        ? sluice_small_write(image, description->fd, data, length, offset)
        : sluice_log_pwrite(&image->log, description->fd, data, length, offset);
    if (written > 0) {
        image->unsettled = image->unstamped = true;
        image->gained += written;
    } else if (written == -ESTALE) {
        sluice_image_surrender(image, SLUICE_REASON_OTHER);
    }
    return written;
}

static ssize_t log_vector(struct description *description, const struct iovec *vector, int count,
                          int64_t offset)
{
    ssize_t done = 0;
    for (int i = 0; i < count; i++) {
        const size_t length = vector[i].iov_len;
        ssize_t written = log_bytes(description, vector[i].iov_base, length, offset + done);
        if (written == -ESTALE && done > 0) {
            written = sluice_descriptor_count(
                description->fd, SLUICE_REASON_NONE,
                REAL(pwrite)(description->fd, vector[i].iov_base, length, offset + done));
        }
        if (written < 0)
            return done > 0 ? done : written;
        done += written;
        if ((size_t)written < length)
            break;
    }
    return done;
}

/*
 * Announces a small file that the write makes too large. The kernel appends to a small file, so
 * that appends of other processes stay.
 */
static void grow_if_due(struct description *description, size_t length, int64_t at)
{
    const int64_t begin = description->append ? sluice_image_size(description->image) : at;
    const bool far = begin > INT64_MAX - (int64_t)length;
    sluice_small_grow_to(description->image, far ? INT64_MAX : begin + (int64_t)length);
}

/*
 * Makes the image direct if another program wrote to the file before the I/O process knew it. The
 * other program's bytes come first.
 */
static void look_for_others(struct description *description)
{
    struct stat status;
    struct image *image = description->image;
    image->fresh = false;
    if (!image->small && REAL(fstat)(description->fd, &status) == 0
        && status.st_size > sluice_image_size(image)) {
        sluice_image_surrender(image, SLUICE_REASON_FOREIGN);
    }
}

/*
 * Returns the offset at which a write of `length` bytes begins. `offset` is the one asked for, -1
 * for the description's own. -ESTALE: the kernel must decide, which knows the limit of a file and
 * the error for it.
 */
static int64_t start(struct description *description, size_t length, int64_t offset)
{
    struct image *image = description->image;
    int64_t at = offset >= 0 ? offset : description->offset;
    if (image->small)
        grow_if_due(description, length, at);
    if (image->fresh)
        look_for_others(description);
    if (!description->logged)
        return -ESTALE;
    if (description->append && at <= INT64_MAX - MOST_IN_ONE_CALL) {
        if (description->kernel_appends && !image->small)
            sluice_description_append(description);
        at = sluice_image_size(image);
        if (at < 0 && at != -ESTALE)
            return at;
    }
    if (at >= 0 && length <= MOST_IN_ONE_CALL && at <= sluice_limit() - (int64_t)length)
        return at;
    sluice_image_surrender(image, at < 0 ? SLUICE_REASON_OTHER : SLUICE_REASON_LIMIT);
    return -ESTALE;
}

/* As in the kernel, an append ignores the offset, and a positioned write moves none. */
static ssize_t log_at(struct description *description, const struct iovec *vector, int count,
                      size_t length, int64_t offset)
{
    const int64_t at = start(description, length, offset);
    if (at < 0)
        return at;
    const ssize_t written = count == 1
        ? log_bytes(description, vector->iov_base, vector->iov_len, at)
        : log_vector(description, vector, count, at);
    if (written > 0 && offset < 0) {
        description->offset = at + written;
        if (!description->logged)
            REAL(lseek)(description->fd, description->offset, SEEK_SET);
    }
    return written;
}

/* Returns the bytes of a vector; SIZE_MAX for one that the kernel would refuse. */
static size_t total(const struct iovec *vector, int count)
{
    size_t length = 0;
    if (count < 0 || count > 1024)
        return SIZE_MAX;
    for (int i = 0; i < count; i++)
        if (__builtin_add_overflow(length, vector[i].iov_len, &length) || length > SSIZE_MAX)
            return SIZE_MAX;
    return length;
}

/*
 * Writes inside the guard: for the client code, or for a signal handler that interrupted this
 * thread within the shim. No lock may be taken, so the bytes bypass the log.
 */
static ssize_t write_inside(struct description *description, int fd, const struct iovec *vector,
                            int count)
{
    const ssize_t written = sluice_descriptor_count(
        fd, SLUICE_REASON_SIGNAL, REAL(pwritev)(fd, vector, count, description->offset));
    if (written > 0)
        description->offset += written;
    return written;
}

/* Returns whether the call was carried out here: `*result` is its result then. */
static bool log_call(int fd, const struct iovec *vector, int count, int64_t offset, ssize_t *result)
{
    struct description *description = sluice_description_lock(fd);
    if (description == NULL) {
        if (offset >= 0 || !sluice_description_logged(fd))
            return false;
        *result = write_inside(sluice_description_of(fd), fd, vector, count);
        return true;
    }
    const size_t length = total(vector, count);
    const ssize_t written = !description->writes || length == SIZE_MAX
        ? -ESTALE
        : log_at(description, vector, count, length, offset);
    sluice_description_unlock(description);
    if (written == -ESTALE)
        return false;
    *result = sluice_guard_result(written);
    return true;
}

/*
 * Returns the result of a write to `fd`, recorded as a call of this kind. The log takes the write
 * if the file has one, else `kernel`, the call itself. `offset` is -1 for the descriptor's own.
 */
#define WRITTEN(fd, vector, count, offset, kind, kernel)                                           \
    RECORDED(fd, offset, kind, __extension__({                                                     \
                 ssize_t written_;                                                                 \
                 if (sluice_description_of(fd) == NULL)                                            \
                     written_ = (kernel);                                                          \
                 else if (!log_call(fd, vector, count, offset, &written_))                         \
                     written_ = sluice_descriptor_count(fd, SLUICE_REASON_NONE, kernel);           \
                 written_;                                                                         \
             }))

#define ONE(data, length) (&(const struct iovec){(void *)(data), length})

ssize_t sluice_write_piece(int fd, const void *data, size_t length, int64_t offset)
{
    ssize_t written;
    if (log_call(fd, ONE(data, length), 1, offset, &written))
        return written;
    return sluice_descriptor_count(fd, SLUICE_REASON_NONE,
                                   offset < 0 ? REAL(write)(fd, data, length)
                                              : REAL(pwrite)(fd, data, length, offset));
}

SLUICE_AS(ssize_t, write, (int fd, const void *data, size_t length),
          WRITTEN(fd, ONE(data, length), 1, -1, SLUICE_TRACE_WRITE, REAL(write)(fd, data, length)))

static ssize_t write_stream(int fd, const void *data, size_t length)
{
    return WRITTEN(fd, ONE(data, length), 1, -1, SLUICE_TRACE_STREAM,
                   REAL(write)(fd, data, length));
}

size_t sluice_write_whole(int fd, const void *data, size_t length)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t written = write_stream(fd, (const char *)data + done, length - done);
        if (written < 0)
            break;
        done += (size_t)written;
    }
    return done;
}

/*
 * Lets our write() print messages: standard error may be a captured file, which the I/O process and
 * the recording count.
 */
__attribute__((constructor)) static void tell_by_stream(void)
{
    sluice_tell_by(sluice_write_whole);
}

SLUICE_AS(ssize_t, writev, (int fd, const struct iovec *vector, int count),
          WRITTEN(fd, vector, count, -1, SLUICE_TRACE_WRITEV, REAL(writev)(fd, vector, count)))

/* Leaves the refusal of a negative offset to the kernel. */
#define WRITTEN_AT(fd, vector, count, offset, kind, kernel)                                        \
    ((offset) < 0 ? (kernel) : WRITTEN(fd, vector, count, offset, kind, kernel))

SLUICE_AS(ssize_t, pwrite, (int fd, const void *data, size_t length, off_t offset),
          WRITTEN_AT(fd, ONE(data, length), 1, offset, SLUICE_TRACE_PWRITE,
                     REAL(pwrite)(fd, data, length, offset)))
SLUICE_AS(ssize_t, pwritev, (int fd, const struct iovec *vector, int count, off_t offset),
          WRITTEN_AT(fd, vector, count, offset, SLUICE_TRACE_PWRITEV,
                     REAL(pwritev)(fd, vector, count, offset)))

/* Leaves a write with flags to the kernel. */
SLUICE_WRAPPER ssize_t pwritev2(int fd, const struct iovec *vector, int count, off_t offset,
                                int flags)
{
    if (offset < -1)
        return REAL(pwritev2)(fd, vector, count, offset, flags);
    if (flags != 0)
        sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
    return WRITTEN(fd, vector, count, offset, SLUICE_TRACE_PWRITEV,
                   REAL(pwritev2)(fd, vector, count, offset, flags));
}
