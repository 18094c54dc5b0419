/*
 * The kernel keeps the names. The I/O process wants to know which group an image is in now. It has a
 * descriptor of every image it knows, so it finds that under any name; one that a process has
 * entered and that it has not taken yet it knows by name only. So it takes that before the name
 * changes.
 */
#include "names.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "capture.h"
#include "guard.h"
#include "real.h"

/* Whether the I/O process knows this file, or what is below this directory, by name only. */
static bool is_untaken(const struct sluice_segment *segment, const struct stat *status)
{
    return S_ISDIR(status->st_mode) ? !sluice_segment_quiet(segment)
                                    : S_ISREG(status->st_mode)
            && sluice_segment_untaken(segment, status->st_dev, status->st_ino);
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

void sluice_names_change(int dirfd, const char *path, int flags)
{
    struct stat status;
    const struct sluice_segment *segment =
        sluice_capture_on() && !sluice_guard_inside() ? sluice_capture_segment() : NULL;
    if (segment == NULL || path == NULL)
        return;
    sluice_guard_enter();
    if (REAL(fstatat)(dirfd, path, &status, flags) == 0 && is_untaken(segment, &status))
        have_taken(&status);
    sluice_guard_leave();
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

SLUICE_BEFORE(int, unlinkat, (int dirfd, const char *path, int flags), (dirfd, path, flags),
              sluice_names_change(dirfd, path, AT_SYMLINK_NOFOLLOW))
SLUICE_AS(int, unlink, (const char *path), unlinkat(AT_FDCWD, path, 0))
SLUICE_BEFORE(int, remove, (const char *path), (path),
              sluice_names_change(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW))
