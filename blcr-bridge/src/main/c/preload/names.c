/* The kernel keeps the names; the I/O process only wants to know which group an image is in now. */
#include <fcntl.h>
#include <stdio.h>

#include "capture.h"
#include "guard.h"
#include "real.h"

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

SLUICE_AFTER(
    int, renameat2,
    (int from_dirfd, const char *from, int to_dirfd, const char *to, unsigned flags),
    (from_dirfd, from, to_dirfd, to, flags), if (result == 0) {
        tell_renamed(to_dirfd, to);
        if (flags & RENAME_EXCHANGE)
            tell_renamed(from_dirfd, from);
    })
SLUICE_AS(int, renameat, (int from_dirfd, const char *from, int to_dirfd, const char *to),
          renameat2(from_dirfd, from, to_dirfd, to, 0))
SLUICE_AS(int, rename, (const char *from, const char *to),
          renameat2(AT_FDCWD, from, AT_FDCWD, to, 0))
