/*
 * Attributes that a write changes: a later drain would undo what the program has set, so the file
 * must hold everything first.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

#include "capture.h"
#include "description.h"
#include "open.h"
#include "real.h"

static void settle(int dirfd, const char *path, int flags)
{
    struct stat status;
    if (path != NULL && sluice_capture_on() && !sluice_guard_inside()
        && REAL(fstatat)(dirfd, path, &status, flags & AT_SYMLINK_NOFOLLOW) == 0
        && sluice_capture_image_state(&status) == SLUICE_IMAGE_STATE_DIVERTED)
        sluice_open_settle(dirfd, path, O_RDONLY);
}

SLUICE_WRAPPER int futimens(int fd, const struct timespec times[2])
{
    sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
    return REAL(futimens)(fd, times);
}

SLUICE_WRAPPER int futimes(int fd, const struct timeval times[2])
{
    sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
    return REAL(futimes)(fd, times);
}

SLUICE_WRAPPER int utimensat(int dirfd, const char *path, const struct timespec times[2], int flags)
{
    settle(dirfd, path, flags);
    return REAL(utimensat)(dirfd, path, times, flags);
}

SLUICE_WRAPPER int futimesat(int dirfd, const char *path, const struct timeval times[2])
{
    settle(dirfd, path, 0);
    if (path == NULL)
        sluice_descriptor_surrender(dirfd, SLUICE_REASON_CONTROL);
    return REAL(futimesat)(dirfd, path, times);
}

SLUICE_WRAPPER int utimes(const char *path, const struct timeval times[2])
{
    settle(AT_FDCWD, path, 0);
    return REAL(utimes)(path, times);
}

SLUICE_WRAPPER int lutimes(const char *path, const struct timeval times[2])
{
    settle(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW);
    return REAL(lutimes)(path, times);
}

SLUICE_WRAPPER int utime(const char *path, const struct utimbuf *times)
{
    settle(AT_FDCWD, path, 0);
    return REAL(utime)(path, times);
}

/* A write by another than root takes these bits away. */
static bool is_taken_away(mode_t mode)
{
    return mode & (S_ISUID | S_ISGID);
}

SLUICE_WRAPPER int fchmod(int fd, mode_t mode)
{
    if (is_taken_away(mode))
        sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
    return REAL(fchmod)(fd, mode);
}

SLUICE_WRAPPER int fchmodat(int dirfd, const char *path, mode_t mode, int flags)
{
    if (is_taken_away(mode))
        settle(dirfd, path, flags);
    return REAL(fchmodat)(dirfd, path, mode, flags);
}

SLUICE_WRAPPER int chmod(const char *path, mode_t mode)
{
    if (is_taken_away(mode))
        settle(AT_FDCWD, path, 0);
    return REAL(chmod)(path, mode);
}

SLUICE_WRAPPER int lchmod(const char *path, mode_t mode)
{
    if (is_taken_away(mode))
        settle(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW);
    return REAL(lchmod)(path, mode);
}

/* So it does with what the kernel derives rights from. */
static bool is_security(const char *name)
{
    return strncmp(name, "security.", strlen("security.")) == 0;
}

SLUICE_WRAPPER int fsetxattr(int fd, const char *name, const void *value, size_t size, int flags)
{
    if (is_security(name))
        sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
    return REAL(fsetxattr)(fd, name, value, size, flags);
}

SLUICE_WRAPPER int setxattr(const char *path, const char *name, const void *value, size_t size,
                            int flags)
{
    if (is_security(name))
        settle(AT_FDCWD, path, 0);
    return REAL(setxattr)(path, name, value, size, flags);
}

SLUICE_WRAPPER int lsetxattr(const char *path, const char *name, const void *value, size_t size,
                             int flags)
{
    if (is_security(name))
        settle(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW);
    return REAL(lsetxattr)(path, name, value, size, flags);
}
