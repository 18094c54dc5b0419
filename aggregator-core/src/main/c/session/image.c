/* The images of a session: create, write, close, and open for restart. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"
#include "kernel.h"
#include "session.h"

#define MAX_NAME 1000

/*
 * Returns what is wrong with the name of an image; NULL if the name is relative and stays below the
 * rank's root.
 */
static const char *fault_of(const char *name)
{
    if (*name == 0)
        return "it is empty";
    if (*name == '/')
        return "it begins with a slash, as no relative path does";
    if (strlen(name) > MAX_NAME)
        return "it is longer than 1000 bytes";
    for (const char *part = name; part != NULL;) {
        const size_t length = strcspn(part, "/");
        if (length == 0 || (length <= 2 && strncmp(part, "..", length) == 0))
            return "a part of it is empty, . or ..";
        part = part[length] == 0 ? NULL : part + length + 1;
    }
    return NULL;
}

int sluice_image_check(int64_t checkpoint, const char *name)
{
    const char *fault = name == NULL ? NULL : fault_of(name);
    if (name == NULL)
        return sluice_session_null("name");
    if (fault == NULL)
        return 0;
    return sluice_failure(EINVAL, "no name of an image of checkpoint %lld, as %s: '%s'",
                          (long long)checkpoint, fault, name);
}

/* Adds the image to the open images of its session, unless another one has its name. */
static int enlist(struct sluice_image *image)
{
    bool known = false;
    const struct sluice_image *other;
    pthread_mutex_lock(&image->session->lock);
    LIST_FOREACH (other, &image->session->images, all) {
        known |= other->checkpoint == image->checkpoint && strcmp(other->name, image->name) == 0;
    }
    if (!known)
        LIST_INSERT_HEAD(&image->session->images, image, all);
    pthread_mutex_unlock(&image->session->lock);
    return known ? sluice_failure(EEXIST, "image %s of checkpoint %lld is open already; close it",
                                  image->name, (long long)image->checkpoint)
                 : 0;
}

static void delist(struct sluice_image *image)
{
    pthread_mutex_lock(&image->session->lock);
    LIST_REMOVE(image, all);
    pthread_mutex_unlock(&image->session->lock);
}

static int begin(struct sluice_image *image, struct sluice_client *client, int ranks)
{
    char path[4096] = "";
    struct sluice_disposition disposition;
    const struct sluice_request_create request = {image->checkpoint, image->session->rank, ranks};
    const int error =
        sluice_client_open(client, SLUICE_REQUEST_CREATE, SLUICE_BODY_AND(request, image->name),
                           &disposition, path, sizeof path - 1);
    if (error != 0)
        return error;
    sluice_log_init(&image->log, client, &disposition);
    image->fd = open(path, O_RDWR | O_CLOEXEC);
    if (image->fd < 0) {
        const int failure = errno;
        sluice_log_end(&image->log);
        return sluice_failure(failure, "cannot open %s, the file of image %s: %s", path,
                              image->name, strerror(failure));
    }
    return 0;
}

static int make(sluice_session *session, int64_t checkpoint, const char *name, int ranks,
                sluice_image **image)
{
    int error;
    struct sluice_client *client = sluice_session_client(session, &error);
    if (error != 0)
        return error;
    struct sluice_image *created = calloc(1, sizeof *created + strlen(name) + 1);
    if (created == NULL)
        return sluice_failure(ENOMEM, "no memory for image %s", name);
    strcpy(created->name, name);
    created->session = session;
    created->checkpoint = checkpoint;
    created->forks = sluice_session_forks();
    error = enlist(created);
    if (error == 0) {
        error = begin(created, client, ranks);
        if (error != 0)
            delist(created);
    }
    if (error != 0)
        free(created);
    else
        *image = created;
    return error;
}

int sluice_image_create(sluice_session *session, int64_t checkpoint, const char *name,
                        sluice_image **image)
{
    if (image == NULL)
        return sluice_session_null("image");
    *image = NULL;
    const int error = sluice_image_check(checkpoint, name);
    if (error != 0 || session == NULL)
        return error != 0 ? error : sluice_session_missing();
    return make(session, checkpoint, name, session->ranks, image);
}

int sluice_image_copy(sluice_session *session, int64_t checkpoint, const char *name,
                      sluice_image **image)
{
    return make(session, checkpoint, name, 0, image);
}

static int missing(void)
{
    return sluice_failure(EBADF, "no image: sluice_image_create failed, or was not called");
}

/* An inherited image is refused, since its lock may never be released. */
static int enter(struct sluice_image *image)
{
    if (image == NULL)
        return missing();
    if (image->forks != sluice_session_forks()) {
        return sluice_failure(ESTALE,
                              "the image was created before the fork and belongs to the "
                              "parent process");
    }
    sluice_lock_take(&image->log.lock);
    return 0;
}

static int64_t leave(struct sluice_image *image, int64_t result)
{
    sluice_lock_release(&image->log.lock);
    return result;
}

static int64_t file_failure(int64_t result, const char *what)
{
    return result >= 0 ? result
                       : sluice_failure((int)-result, "cannot %s the image's file: %s", what,
                                        strerror((int)-result));
}

static ssize_t write_whole(struct sluice_image *image, const char *data, size_t length,
                           int64_t offset)
{
    size_t done = 0;
    while (done < length) {
        const int64_t at = offset + (int64_t)done;
        ssize_t written = sluice_log_pwrite(&image->log, image->fd, data + done, length - done, at);
        if (written == -ESTALE) {
            written = sluice_kernel_pwrite(image->fd, data + done, length - done, at);
            sluice_tally_add(&image->log.tally, SLUICE_REASON_NONE, written);
            written = file_failure(written, "write to");
        }
        if (written < 0)
            return written;
        done += (size_t)written;
    }
    return (ssize_t)length;
}

static int enter_with(struct sluice_image *image, const void *data, size_t length)
{
    return data == NULL && length > 0 ? sluice_session_null("data") : enter(image);
}

ssize_t sluice_image_pwrite(sluice_image *image, const void *data, size_t length, int64_t offset)
{
    const int error = enter_with(image, data, length);
    return error != 0 ? error : leave(image, write_whole(image, data, length, offset));
}

ssize_t sluice_image_write(sluice_image *image, const void *data, size_t length)
{
    const int error = enter_with(image, data, length);
    if (error != 0)
        return error;
    const ssize_t written = write_whole(image, data, length, image->position);
    if (written > 0)
        image->position += written;
    return leave(image, written);
}

/* Reads into the image's own file, by way of memory from what is no pipe. */
static ssize_t fill_file(struct sluice_image *image, int source, size_t length)
{
    char piece[64 << 10];
    ssize_t count = sluice_kernel_splice(source, image->fd, image->position, length);
    if (count == -EINVAL) {
        count = sluice_kernel_call(SYS_read, source, (long)piece,
                                   (long)(length < sizeof piece ? length : sizeof piece));
        const ssize_t written = count <= 0
            ? count
            : sluice_kernel_pwrite(image->fd, piece, (size_t)count, image->position);
        if (written != count)
            count = written < 0 ? written : -ENOSPC;
    }
    sluice_tally_add(&image->log.tally, SLUICE_REASON_NONE, count);
    return sluice_log_source(count);
}

ssize_t sluice_image_fill(struct sluice_image *image, int source, size_t length)
{
    const int error = enter(image);
    if (error != 0)
        return error;
    ssize_t count = sluice_log_fill(&image->log, image->fd, source, length, image->position);
    if (count == -ESTALE)
        count = fill_file(image, source, length);
    if (count > 0)
        image->position += count;
    return leave(image, count);
}

ssize_t sluice_image_try_pwrite(sluice_image *image, const void *data, size_t length,
                                int64_t offset)
{
    if (image == NULL || image->forks != sluice_session_forks()
        || !sluice_lock_try(&image->log.lock)) {
        return -EAGAIN;
    }
    const ssize_t written = sluice_log_try_pwrite(&image->log, data, length, offset);
    return leave(image, written);
}

ssize_t sluice_image_pread(sluice_image *image, void *data, size_t length, int64_t offset)
{
    const int error = enter_with(image, data, length);
    if (error != 0)
        return error;
    const bool settled = image->log.pending_low >= image->log.pending_high;
    ssize_t got = settled ? 0 : sluice_log_settle(&image->log, SLUICE_REASON_NONE);
    if (got == 0)
        got = file_failure(sluice_kernel_pread(image->fd, data, length, offset), "read");
    return leave(image, got);
}

int32_t sluice_image_id(const sluice_image *image)
{
    return image->log.id;
}

int64_t sluice_image_size(sluice_image *image)
{
    const int error = enter(image);
    if (error != 0)
        return error;
    int64_t size = sluice_log_size(&image->log);
    if (size == -ESTALE)
        size = file_failure(sluice_kernel_length(image->fd), "measure");
    return leave(image, size);
}

int sluice_image_truncate(sluice_image *image, int64_t length)
{
    int error =
        length < 0 ? sluice_failure(EINVAL, "a length of %lld", (long long)length) : enter(image);
    if (error != 0)
        return error;
    error = sluice_log_truncate(&image->log, image->fd, length);
    if (error == -ESTALE)
        error = (int)file_failure(sluice_kernel_truncate(image->fd, length), "truncate");
    return (int)leave(image, error);
}

int sluice_image_sync(sluice_image *image)
{
    int error = enter(image);
    if (error != 0)
        return error;
    error = sluice_log_sync(&image->log);
    if (error == -ESTALE)
        error = (int)file_failure(fdatasync(image->fd) == 0 ? 0 : -errno, "synchronise");
    return (int)leave(image, error);
}

int sluice_image_close(sluice_image *image)
{
    if (image == NULL)
        return missing();
    int error = 0;
    if (image->forks == sluice_session_forks()) {
        sluice_lock_take(&image->log.lock);
        error = sluice_log_end(&image->log);
        sluice_lock_release(&image->log.lock);
        delist(image);
    }
    close(image->fd);
    free(image);
    return error;
}

int sluice_image_restart(sluice_session *session, int64_t checkpoint, const char *name)
{
    int error = name == NULL ? sluice_session_null("name") : 0;
    struct sluice_client *client = error == 0 ? sluice_session_client(session, &error) : NULL;
    if (error != 0)
        return error;
    char path[4096] = "";
    const struct sluice_request_restart request = {checkpoint, session->rank};
    error = sluice_connection_request(
        &client->connection, SLUICE_REQUEST_RESTART, SLUICE_BODY_AND(request, name),
        &(struct sluice_reply){.elements = path, .element_length = 1, .capacity = sizeof path - 1});
    if (error != 0)
        return error;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        const int failure = errno;
        return sluice_failure(failure, "cannot open %s, the rebuilt image %s: %s", path, name,
                              strerror(failure));
    }
    unlink(path);
    return fd;
}
