/* Files that a program adds to a checkpoint. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"
#include "session.h"

#define PIECE (256 << 10) /* bytes that are copied at a time */

/* Finds the path of a file that may be yet to be written, without symbolic links. */
static int resolve(const char *path, char whole[PATH_MAX])
{
    if (realpath(path, whole) != NULL)
        return 0;
    char above[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const int length = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
    if (errno != ENOENT || strlen(path) >= sizeof above || *name == 0)
        return -errno;
    snprintf(above, sizeof above, "%.*s", length, slash == NULL ? "." : path);
    if (realpath(above, whole) == NULL)
        return -errno;
    const size_t end = strlen(whole);
    if (end + strlen(name) + 2 > PATH_MAX)
        return -ENAMETOOLONG;
    snprintf(whole + end, PATH_MAX - end, "/%s", name);
    return 0;
}

static int copy_bytes(int fd, sluice_image *image, char *piece)
{
    for (;;) {
        const ssize_t count = read(fd, piece, PIECE);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return sluice_failure(errno, "cannot read what is added: %s", strerror(errno));
        const ssize_t written = count == 0 ? 0 : sluice_image_write(image, piece, (size_t)count);
        if (written <= 0)
            return (int)written;
    }
}

/* Puts the bytes of a file that is not captured into an image of the checkpoint. */
static int copy(struct sluice_session *session, int64_t checkpoint, const char *path,
                const char *name)
{
    sluice_image *image;
    char *piece = malloc(PIECE);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = piece == NULL ? sluice_failure(ENOMEM, "no memory to copy %s", path) : 0;
    if (error == 0 && fd < 0)
        error = sluice_failure(errno, "cannot open %s: %s", path, strerror(errno));
    if (error == 0)
        error = sluice_image_copy(session, checkpoint, name, &image);
    if (error == 0) {
        error = copy_bytes(fd, image, piece);
        const int closed = sluice_image_close(image);
        error = error != 0 ? error : closed;
    }
    if (fd >= 0)
        close(fd);
    free(piece);
    return error;
}

int sluice_checkpoint_add(sluice_session *session, int64_t checkpoint, const char *path)
{
    char whole[PATH_MAX];
    if (path == NULL)
        return sluice_session_null("path");
    int error = resolve(path, whole);
    if (error != 0)
        return sluice_failure(-error, "%s cannot be added: %s", path, strerror(-error));
    struct sluice_client *client = sluice_session_client(session, &error);
    if (error != 0)
        return error;
    char name[PATH_MAX] = "";
    const struct sluice_request_add request = {checkpoint, session->rank};
    const struct sluice_reply reply = {
        .elements = name, .element_length = 1, .capacity = sizeof name - 1};
    error = sluice_connection_request(&client->connection, SLUICE_REQUEST_ADD,
                                      SLUICE_BODY_AND(request, whole), &reply);
    if (error != 0 || name[0] == 0)
        return error;
    error = copy(session, checkpoint, whole, name);
    return error != 0 ? error : 1;
}
