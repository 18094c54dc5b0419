/*
 * The kernel keeps the names. The I/O process wants to know which group an image is in now. It has a
 * descriptor of every image it knows, so it finds that under any name; one that a process has
 * entered and that it has not taken yet it knows by name only. So it takes that before the name
 * changes.
 */
#include "names.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "capture.h"
#include "guard.h"
#include "real.h"

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

static void tell_renamed(int dirfd, const char *path)
{
    struct stat status;
    if (!sluice_capture_on() || sluice_guard_inside())
        return;
    sluice_guard_enter();
    if (REAL(fstatat)(dirfd, path, &status, AT_SYMLINK_NOFOLLOW) == 0
        && sluice_capture_image_state(&status) != SLUICE_IMAGE_STATE_FREE) {
        struct sluice_client *client = sluice_capture_client();
        if (client != NULL)
            sluice_client_renamed(client, status.st_dev, status.st_ino);
    }
    sluice_guard_leave();
}

SLUICE_WRAPPER int renameat2(int from_dirfd, const char *from, int to_dirfd, const char *to,
                             unsigned flags)
{
    sluice_names_change(from_dirfd, from, AT_SYMLINK_NOFOLLOW);
    sluice_names_change(to_dirfd, to, AT_SYMLINK_NOFOLLOW);
    const int result = REAL(renameat2)(from_dirfd, from, to_dirfd, to, flags);
    if (result == 0) {
        tell_renamed(to_dirfd, to);
        if (flags & RENAME_EXCHANGE)
            tell_renamed(from_dirfd, from);
    }
    return result;
}

SLUICE_AS(int, renameat, (int from_dirfd, const char *from, int to_dirfd, const char *to),
          renameat2(from_dirfd, from, to_dirfd, to, 0))
SLUICE_AS(int, rename, (const char *from, const char *to),
          renameat2(AT_FDCWD, from, AT_FDCWD, to, 0))

SLUICE_BEFORE(int, linkat,
              (int from_dirfd, const char *from, int to_dirfd, const char *to, int flags),
              (from_dirfd, from, to_dirfd, to, flags),
              sluice_names_change(from_dirfd, from,
                                  (flags & AT_EMPTY_PATH)
                                      | (flags & AT_SYMLINK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW)))
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
