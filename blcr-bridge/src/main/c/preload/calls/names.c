/*
 * The kernel keeps the names. The I/O process wants to know which group an image is in now. It has a
 * descriptor of every image it knows, so it finds that under any name; one that a process has
 * entered and that it has not taken yet it knows by name only. So it takes that before the name
 * changes. It is told of each image that was renamed, of each directory, below which images may be,
 * and of each other name that a file gets. What was outside the capture directory before is no image:
 * it is told of that as well, and makes it one. The process goes on when it has.
 */
#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "capture.h"
#include "guard.h"
#include "real.h"
#include "segment.h"

/* Whether the I/O process knows this file, or what is below this directory, by name only. */
static bool is_untaken(const struct sluice_segment *segment, const struct stat *status)
{
    int state;
    return S_ISDIR(status->st_mode) ? !sluice_segment_quiet(segment)
                                    : S_ISREG(status->st_mode)
            && sluice_segment_untaken(segment, status->st_dev, status->st_ino, &state) != NULL;
}

/* Any request has it look at the rings; this one does nothing else. */
static void have_taken(const struct stat *status)
{
    struct sluice_client *client = sluice_capture_client();
    if (client != NULL) {
        sluice_client_replace(client, status->st_dev, status->st_ino, SLUICE_REQUEST_REPLACE_NONE,
                              "");
    }
}

static void have_taken_if_untaken(const struct sluice_segment *segment, const struct stat *status)
{
    sluice_guard_enter();
    if (is_untaken(segment, status))
        have_taken(status);
    sluice_guard_leave();
}

void sluice_names_change(int dirfd, const char *path, int flags)
{
    struct stat status;
    const struct sluice_segment *segment =
        sluice_capture_on() && !sluice_guard_inside() ? sluice_capture_segment() : NULL;
    if (segment == NULL || path == NULL)
        return;
    if (REAL(fstatat)(dirfd, path, &status, flags) == 0)
        have_taken_if_untaken(segment, &status);
}

/* Where nothing is ever committed by its name nobody has to know. */
static bool tells(void)
{
    const struct sluice_segment *segment =
        sluice_capture_on() && !sluice_guard_inside() ? sluice_capture_segment() : NULL;
    return segment != NULL && segment->layout == SLUICE_HEADER_LAYOUT_CONTAINER;
}

static int look_at(int dirfd, const char *path, int flags)
{
    const int follows = flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;
    return REAL(openat)(dirfd, path, O_PATH | O_CLOEXEC | follows);
}

/* Whether it is a file or a directory outside the capture directory, and no image. */
static bool is_outside(int dirfd, const char *path, int flags)
{
    struct stat status;
    char name[PATH_MAX];
    const int before = errno;
    const int fd = tells() && path != NULL ? look_at(dirfd, path, flags) : -1;
    const bool outside = fd >= 0 && REAL(fstat)(fd, &status) == 0
        && (S_ISDIR(status.st_mode) || S_ISREG(status.st_mode))
        && sluice_capture_image_state(&status) == SLUICE_IMAGE_STATE_FREE
        && !sluice_capture_has(fd, name);
    if (fd >= 0)
        REAL(close)(fd);
    errno = before;
    return outside;
}

/* Tells of a new name of what is there, unless that is outside. */
static void tell_moved(int dirfd, const char *path, bool arrived)
{
    struct stat status;
    char name[PATH_MAX];
    struct sluice_client *client = sluice_capture_client();
    const int fd = client != NULL ? look_at(dirfd, path, AT_SYMLINK_NOFOLLOW) : -1;
    if (fd >= 0 && REAL(fstat)(fd, &status) == 0 && sluice_capture_has(fd, name)) {
        sluice_client_replace(
            client, status.st_dev, status.st_ino,
            SLUICE_REQUEST_REPLACE_MOVED | (arrived ? SLUICE_REQUEST_REPLACE_ARRIVED : 0), name);
    }
    if (fd >= 0)
        REAL(close)(fd);
}

static void tell_renamed(int dirfd, const char *path, bool arrived)
{
    struct stat status;
    if (!sluice_capture_on() || sluice_guard_inside())
        return;
    sluice_guard_enter();
    if (REAL(fstatat)(dirfd, path, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        const bool image = sluice_capture_image_state(&status) != SLUICE_IMAGE_STATE_FREE;
        struct sluice_client *client = image ? sluice_capture_client() : NULL;
        if (client != NULL)
            sluice_client_renamed(client, status.st_dev, status.st_ino);
        else if (!image && (arrived || S_ISDIR(status.st_mode)))
            tell_moved(dirfd, path, arrived);
    }
    sluice_guard_leave();
}

SLUICE_WRAPPER int renameat2(int from_dirfd, const char *from, int to_dirfd, const char *to,
                             unsigned flags)
{
    const bool exchange = (flags & RENAME_EXCHANGE) != 0;
    sluice_names_change(from_dirfd, from, AT_SYMLINK_NOFOLLOW);
    sluice_names_change(to_dirfd, to, AT_SYMLINK_NOFOLLOW);
    const bool arrives = is_outside(from_dirfd, from, AT_SYMLINK_NOFOLLOW);
    const bool other_arrives = exchange && is_outside(to_dirfd, to, AT_SYMLINK_NOFOLLOW);
    const int result = REAL(renameat2)(from_dirfd, from, to_dirfd, to, flags);
    if (result == 0) {
        tell_renamed(to_dirfd, to, arrives);
        if (exchange)
            tell_renamed(from_dirfd, from, other_arrives);
    }
    return result;
}

SLUICE_AS(int, renameat, (int from_dirfd, const char *from, int to_dirfd, const char *to),
          renameat2(from_dirfd, from, to_dirfd, to, 0))
SLUICE_AS(int, rename, (const char *from, const char *to),
          renameat2(AT_FDCWD, from, AT_FDCWD, to, 0))

/* An image has one name more, and a file from outside is one from here on. */
static void tell_linked(int dirfd, const char *path, bool arrived)
{
    struct stat status;
    if (!tells())
        return;
    sluice_guard_enter();
    if (REAL(fstatat)(dirfd, path, &status, AT_SYMLINK_NOFOLLOW) == 0
        && (arrived || sluice_capture_image_state(&status) != SLUICE_IMAGE_STATE_FREE)) {
        tell_moved(dirfd, path, arrived);
    }
    sluice_guard_leave();
}

SLUICE_WRAPPER int linkat(int from_dirfd, const char *from, int to_dirfd, const char *to, int flags)
{
    const int looks = flags & AT_SYMLINK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW;
    sluice_names_change(from_dirfd, from, (flags & AT_EMPTY_PATH) | looks);
    const bool arrives = is_outside(from_dirfd, from, looks);
    const int result = REAL(linkat)(from_dirfd, from, to_dirfd, to, flags);
    if (result == 0)
        tell_linked(to_dirfd, to, arrives);
    return result;
}

SLUICE_AS(int, link, (const char *from, const char *to), linkat(AT_FDCWD, from, AT_FDCWD, to, 0))

/* The entry of a direct image that the I/O process knows by name only, which is the only one. */
struct last_name {
    struct sluice_image_entry *entry; /* NULL: it is another file */
    int32_t creator;
};

static void change_creator(const struct last_name *name, int32_t from, int32_t to)
{
    if (name->entry != NULL)
        atomic_compare_exchange_strong(&name->entry->creator, &from, to);
}

/*
 * Nothing of such a file is in a log. So it need not be taken before it is deleted. The entry says so first: the I/O
 * process may look for the file as soon as it is gone.
 */
static struct last_name before_unlink(int dirfd, const char *path)
{
    struct stat status;
    struct last_name name = {0};
    int state = SLUICE_IMAGE_STATE_FREE;
    const struct sluice_segment *segment =
        sluice_capture_on() && !sluice_guard_inside() ? sluice_capture_segment() : NULL;
    if (segment == NULL || path == NULL
        || REAL(fstatat)(dirfd, path, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return name;
    }
    if (S_ISREG(status.st_mode) && status.st_nlink == 1)
        name.entry = sluice_segment_untaken(segment, status.st_dev, status.st_ino, &state);
    if (name.entry != NULL)
        name.creator = atomic_load(&name.entry->creator);
    if (state != SLUICE_IMAGE_STATE_DIRECT || name.creator <= 0) {
        name.entry = NULL;
        have_taken_if_untaken(segment, &status);
    }
    change_creator(&name, name.creator, -name.creator);
    return name;
}

/* The entry may be another file's by now. */
static void after_unlink(const struct last_name *name, int result)
{
    if (result != 0)
        change_creator(name, -name->creator, name->creator);
}

#define UNLINKS(name, parameters, arguments, dirfd)                                                \
    SLUICE_WRAPPER int name parameters                                                             \
    {                                                                                              \
        const struct last_name last = before_unlink(dirfd, path);                                  \
        const int result = REAL(name) arguments;                                                   \
        after_unlink(&last, result);                                                               \
        return result;                                                                             \
    }

UNLINKS(unlinkat, (int dirfd, const char *path, int flags), (dirfd, path, flags), dirfd)
UNLINKS(remove, (const char *path), (path), AT_FDCWD)
SLUICE_AS(int, unlink, (const char *path), unlinkat(AT_FDCWD, path, 0))
