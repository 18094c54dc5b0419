#include "text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture.h"
#include "guard.h"
#include "kernel.h"
#include "open.h"
#include "real.h"

static bool copy_bytes(int from, int to)
{
    static const size_t most = 1 << 30;
    ssize_t copied;
    do {
        copied = REAL(copy_file_range)(from, NULL, to, NULL, most, 0);
    } while (copied > 0);
    return copied == 0;
}

/* The copy gets the name only when it is complete. */
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

bool sluice_text_free(const char *path, int error)
{
    struct stat status;
    if (error != ETXTBSY || !sluice_capture_on() || sluice_guard_inside()
        || REAL(fstatat)(AT_FDCWD, path, &status, 0) != 0
        || sluice_capture_image_state(&status) == SLUICE_IMAGE_STATE_FREE) {
        return false;
    }
    sluice_open_settle(AT_FDCWD, path, O_RDONLY);
    sluice_guard_enter();
    const bool freed = copy_over(path, &status);
    sluice_guard_leave();
    return freed;
}
