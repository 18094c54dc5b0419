#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "kernel.h"
#include "real.h"
#include "segment.h"

#define WAY_LENGTH 40
#define OWNER_READS_AND_WRITES 0600

/*
 * Returns whether this process has just made the file, or has written so much that the file is to
 * become an image. While checkpoints are filled the I/O process has to know which of both it is.
 */
static bool is_own(const struct stat *status, int announced)
{
    const bool filled = sluice_segment_filled(sluice_capture_segment());
    return ((announced & SLUICE_REQUEST_OPEN_GROWN) && !filled)
        || ((announced & SLUICE_REQUEST_OPEN_MADE) && status->st_size == 0);
}

static bool enter(struct sluice_client *client, int fd, const struct stat *status, int announced,
                  const char *path, struct sluice_disposition *disposition)
{
    const struct sluice_created file = {fd, status->st_dev, status->st_ino, status->st_size, path};
    const int reason = announced & SLUICE_REQUEST_OPEN_DIRECT
        ? announced >> SLUICE_REQUEST_OPEN_REASON_SHIFT
        : SLUICE_REASON_NONE;
    return is_own(status, announced) && status->st_nlink == 1
        && sluice_client_enter(client, &file, reason, disposition);
}

/*
 * Returns a path that leads to the file. For a file without its former name, that is one of its
 * descriptor.
 */
static const char *way_to(int fd, const char *path, char way[WAY_LENGTH])
{
    static const char gone[] = " (deleted)"; /* the kernel's suffix */
    const size_t length = strlen(path);
    if (length < sizeof gone || strcmp(path + length - (sizeof gone - 1), gone) != 0)
        return path;
    snprintf(way, WAY_LENGTH, "/proc/%ld/fd/%d", sluice_kernel_call(SYS_getpid), fd);
    return way;
}

static int ask(struct sluice_client *client, const struct stat *status, int announced,
               const char *path, struct sluice_disposition *disposition)
{
    if (!(announced & SLUICE_REQUEST_OPEN_MADE) && status->st_size == 0)
        announced |= SLUICE_REQUEST_OPEN_EMPTY;
    const int error =
        sluice_client_announce(client,
                               (struct sluice_request_open){sluice_device(status->st_dev),
                                                            (int64_t)status->st_ino, announced},
                               path, disposition);
    if (error != -ESTALE && error != 0 && sluice_client_lost(client))
        return -ENOTCONN; /* no answer is no refusal */
    return error;
}

/* The I/O process opens it too, so the file's owner must be allowed to. */
int sluice_image_announce(int fd, const struct stat *status, int announced, const char *path,
                          struct sluice_disposition *disposition)
{
    struct sluice_client *client = sluice_capture_client();
    if (client == NULL)
        return -ENOTCONN;
    const mode_t mode = status->st_mode & 07777;
    const int created = SLUICE_REQUEST_OPEN_CREATED | SLUICE_REQUEST_OPEN_GROWN;
    const bool unreadable =
        (announced & created) && (mode & OWNER_READS_AND_WRITES) != OWNER_READS_AND_WRITES;
    if (!unreadable && enter(client, fd, status, announced, path, disposition))
        return 0;
    if (unreadable)
        REAL(fchmod)(fd, mode | OWNER_READS_AND_WRITES);
    char way[WAY_LENGTH];
    const int error = ask(client, status, announced, way_to(fd, path, way), disposition);
    if (unreadable)
        REAL(fchmod)(fd, mode);
    return error;
}

bool sluice_image_refused(int error)
{
    return error != 0 && error != -ENOTCONN && error != -ENAMETOOLONG;
}
