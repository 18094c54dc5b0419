/* Files that are opened by something else than a name, or in a way that only the kernel knows. */
#include "handle.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture.h"
#include "description.h"
#include "open.h"
#include "real.h"

/* The file that was found by `path_fd`, opened by its name if that makes a difference; -1 if not. */
static int open_found(int path_fd, int flags)
{
    const int fd = path_fd >= 0 ? sluice_open_again(path_fd, flags) : -1;
    const int error = errno;
    if (path_fd >= 0)
        REAL(close)(path_fd);
    errno = error;
    return fd;
}

SLUICE_WRAPPER int open_by_handle_at(int mount, struct file_handle *handle, int flags)
{
    if (!sluice_capture_on() || sluice_guard_inside() || (flags & O_PATH))
        return REAL(open_by_handle_at)(mount, handle, flags);
    const int fd = open_found(REAL(open_by_handle_at)(mount, handle, O_PATH | O_CLOEXEC), flags);
    return fd >= 0 || errno != ENOENT ? fd : REAL(open_by_handle_at)(mount, handle, flags);
}

/* What is there is opened by its name; what is not is made by the kernel as asked. */
long sluice_handle_openat2(int dirfd, const char *path, const struct open_how *how, size_t size)
{
    if (how == NULL || size < sizeof *how) {
        return REAL(syscall)(SYS_openat2, dirfd, path, how,
                             size); /* asked whether there is such a call */
    }
    struct open_how look = {.flags = O_PATH | O_CLOEXEC | (how->flags & (O_NOFOLLOW | O_DIRECTORY)),
                            .resolve = how->resolve};
    const int flags = (int)how->flags;
    if (!sluice_capture_on() || sluice_guard_inside() || (flags & (O_PATH | O_DIRECTORY)))
        return REAL(syscall)(SYS_openat2, dirfd, path, how, size);
    const bool exclusive = (flags & O_CREAT) && (flags & O_EXCL);
    const int there =
        exclusive ? -1 : (int)REAL(syscall)(SYS_openat2, dirfd, path, &look, sizeof look);
    if (there >= 0) {
        const int found = open_found(there, flags);
        if (found >= 0 || errno != ENOENT)
            return found;
    }
    const int fd = (int)REAL(syscall)(SYS_openat2, dirfd, path, how, size);
    struct stat status;
    if (fd >= 0 && REAL(fstat)(fd, &status) == 0 && S_ISREG(status.st_mode) && (flags & O_CREAT)
        && status.st_size == 0) {
        sluice_description_adopt(fd, flags, SLUICE_REQUEST_OPEN_CREATED | SLUICE_REQUEST_OPEN_WRITE,
                                 false);
    }
    return fd;
}
