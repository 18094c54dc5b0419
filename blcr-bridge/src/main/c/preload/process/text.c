#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture.h"
#include "guard.h"
#include "kernel.h"
#include "open.h"
#include "real.h"
#include "sluice_layout.h"

/* The attempts to run a file that is no image, and the pause between two, in nanoseconds. */
#define MOST_ATTEMPTS 500
#define NAP 1000000

static bool may_run(const char *path)
{
    struct stat status;
    return REAL(fstatat)(AT_FDCWD, path, &status, 0) == 0 && S_ISREG(status.st_mode)
        && access(path, X_OK) == 0;
}

const char *sluice_text_find(const char *file, char room[PATH_MAX])
{
    if (!sluice_capture_on() || strchr(file, '/') != NULL)
        return file;
    const char *directories = getenv("PATH");
    directories = directories != NULL ? directories : "/bin:/usr/bin"; /* the C library's default */
    while (*directories != '\0') {
        const int length = (int)strcspn(directories, ":");
        const int written =
            snprintf(room, PATH_MAX, "%.*s%s%s", length, directories, length == 0 ? "" : "/", file);
        if (written < PATH_MAX && may_run(room))
            return room;
        directories += length + (directories[length] == ':');
    }
    return NULL;
}

const char *sluice_text_at(int dirfd, const char *path, int flags, char room[PATH_MAX])
{
    struct stat status;
    if (!sluice_capture_on() || path[0] == '/' || (dirfd == AT_FDCWD && path[0] != '\0'))
        return path;
    if (path[0] != '\0') {
        const int length = snprintf(room, PATH_MAX, "/proc/self/fd/%d/%s", dirfd, path);
        return length < PATH_MAX ? room : NULL;
    }
    /* A program open for writing is refused without Sluice as well. */
    return (flags & AT_EMPTY_PATH) != 0 && (fcntl(dirfd, F_GETFL) & O_ACCMODE) == O_RDONLY
            && sluice_capture_file(dirfd, &status, room)
        ? room
        : NULL;
}

void sluice_text_settle(const char *path)
{
    if (path != NULL)
        sluice_open_settle(AT_FDCWD, path, O_RDONLY);
}

static bool copy_bytes(int from, int to)
{
    static const size_t most = 1 << 30;
    ssize_t copied;
    do {
        copied = REAL(copy_file_range)(from, NULL, to, NULL, most, 0);
    } while (copied > 0);
    return copied == 0;
}

/* Replaces the file by a copy, which gets the name only when it is complete. */
static bool copy_over(const char *path, const struct stat *status)
{
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s.XXXXXX", path) >= (int)sizeof copy)
        return false;
    const int from = sluice_kernel_open(path, O_RDONLY);
    const int to = from >= 0 ? REAL(mkostemps)(copy, 0, O_CLOEXEC) : -1;
    bool done = to >= 0 && copy_bytes(from, to) && REAL(fchmod)(to, status->st_mode & 07777) == 0;
    sluice_kernel_close(from);
    sluice_kernel_close(to);
    done = done && REAL(renameat2)(AT_FDCWD, copy, AT_FDCWD, path, 0) == 0;
    if (to >= 0 && !done)
        unlink(copy);
    return done;
}

/* Pauses for a file that the I/O process may have had; false for any other one. */
static bool pause_for(const char *path)
{
    char room[PATH_MAX];
    const int fd = sluice_kernel_open(path, O_RDONLY);
    const bool captured = fd >= 0 && sluice_capture_has(fd, room);
    sluice_kernel_close(fd);
    if (captured)
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    return captured;
}

bool sluice_text_free(const char *path, int error, int attempt)
{
    struct stat status;
    if (path == NULL || error != ETXTBSY || attempt == MOST_ATTEMPTS || !sluice_capture_on()
        || sluice_guard_inside() || REAL(fstatat)(AT_FDCWD, path, &status, 0) != 0) {
        return false;
    }
    if (sluice_capture_image_state(&status) == SLUICE_IMAGE_STATE_FREE)
        return attempt == 0 || pause_for(path);
    sluice_text_settle(path);
    sluice_guard_enter();
    const bool freed = copy_over(path, &status);
    sluice_guard_leave();
    return freed;
}
