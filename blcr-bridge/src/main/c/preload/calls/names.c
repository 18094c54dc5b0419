/*
 * Changes of names. The I/O process wants to know the group of each image. The I/O process finds a
 * taken image under any name, by its descriptor. An entered image that is not yet taken has a name
 * only. So the I/O process takes such an image before its name changes.
 *
 * The shim tells the I/O process of each renamed image, and of each renamed directory, below which
 * images may be. The shim also tells of each further name of a file. A file from outside the
 * capture directory is no image before. The shim tells of that as well, and the I/O process makes
 * it one. The program goes on after the answer.
 */
#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "capture.h"
#include "early_attach.h"
#include "guard.h"
#include "layout.h"
#include "real.h"
#include "segment.h"

/* Returns whether the I/O process knows this file, or files below this directory, by name only. */
static bool is_untaken(const struct sluice_segment *segment, const struct stat *status)
{
    int state;
    return S_ISDIR(status->st_mode) ? !sluice_segment_quiet(segment)
                                    : S_ISREG(status->st_mode)
            && sluice_segment_untaken(segment, status->st_dev, status->st_ino, &state) != NULL;
}

/* Makes the I/O process read the rings, as any request does; this one does nothing else. */
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

/*
 * Returns whether names matter: where images are committed by name, and while a process fills a
 * checkpoint.
 */
static bool tells(void)
{
    const struct sluice_segment *segment =
        sluice_capture_on() && !sluice_guard_inside() ? sluice_capture_segment() : NULL;
    return segment != NULL
        && (sluice_layout_tells_of_names(segment) || sluice_segment_filled(segment));
}

static int look_at(int dirfd, const char *path, int flags)
{
    const int follows = flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;
    return REAL(openat)(dirfd, path, O_PATH | O_CLOEXEC | follows);
}

/*
 * Returns whether the name is of a file or directory outside the capture directory, and of no
 * image.
 */
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

/* Tells of a new name of a file or directory, unless that is outside. */
static void tell_moved(int dirfd, const char *path, bool arrived)
{
    struct stat status;
    char name[PATH_MAX];
    const int fd = look_at(dirfd, path, AT_SYMLINK_NOFOLLOW);
    struct sluice_client *client =
        fd >= 0 && REAL(fstat)(fd, &status) == 0 && sluice_capture_has(fd, name)
        ? sluice_capture_client()
        : NULL;
    if (client != NULL) {
        sluice_client_replace(
            client, status.st_dev, status.st_ino,
            SLUICE_REQUEST_REPLACE_MOVED | (arrived ? SLUICE_REQUEST_REPLACE_ARRIVED : 0), name);
    }
    if (fd >= 0)
        REAL(close)(fd);
}

bool sluice_names_filled(void)
{
    return sluice_capture_on() && sluice_segment_filled(sluice_capture_segment());
}

/* A file comes to be of the checkpoint as one from outside the capture directory does. */
void sluice_names_emptied(int fd)
{
    struct stat status;
    char name[PATH_MAX];
    if (sluice_guard_inside() || !sluice_names_filled())
        return;
    const int before = errno;
    sluice_guard_enter();
    struct sluice_client *client =
        sluice_capture_file(fd, &status, name) ? sluice_capture_client() : NULL;
    if (client != NULL) {
        sluice_client_replace(client, status.st_dev, status.st_ino,
                              SLUICE_REQUEST_REPLACE_MOVED | SLUICE_REQUEST_REPLACE_ARRIVED, name);
    }
    sluice_guard_leave();
    errno = before;
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
        else if (!image && (arrived || S_ISDIR(status.st_mode) || sluice_names_filled()))
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
    sluice_early_touched(to_dirfd, to, result != 0);
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

/* Tells of a further name of an image. A file from outside becomes an image by that. */
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

/* The only name of a direct image that the I/O process knows by name only. */
struct last_name {
    struct sluice_image_entry *entry; /* NULL: another kind of file */
    int32_t creator;
};

static void change_creator(const struct last_name *name, int32_t from, int32_t to)
{
    if (name->entry != NULL)
        atomic_compare_exchange_strong(&name->entry->creator, &from, to);
}

/*
 * Notes in the entry that the file is about to be deleted. Nothing of such a file is in a log, so
 * the I/O process need not take it before. The note comes first, since the I/O process may look for
 * the file as soon as it is gone.
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

/* Takes the note back if the file is still there. The entry may be another file's by now. */
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
