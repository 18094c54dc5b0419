/*
 * Settles a file before the program sets attributes that a write changes: a later drain would undo
 * the program's setting.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

#include "capture.h"
#include "description.h"
#include "names.h"
#include "open.h"
#include "real.h"

static void settle_file(int fd)
{
    sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
}

static void settle_name(int dirfd, const char *path, int flags)
{
    struct stat status;
    if (path != NULL && sluice_capture_on() && !sluice_guard_inside()
        && REAL(fstatat)(dirfd, path, &status, flags & AT_SYMLINK_NOFOLLOW) == 0
        && S_ISREG(status.st_mode)
        && sluice_capture_image_state(&status) != SLUICE_IMAGE_STATE_COMMITTED) {
        sluice_open_settle(dirfd, path, O_RDONLY);
    }
}

SLUICE_BEFORE(int, futimens, (int fd, const struct timespec times[2]), (fd, times), settle_file(fd))
SLUICE_BEFORE(int, futimes, (int fd, const struct timeval times[2]), (fd, times), settle_file(fd))
SLUICE_BEFORE(int, utimensat,
              (int dirfd, const char *path, const struct timespec times[2], int flags),
              (dirfd, path, times, flags), settle_name(dirfd, path, flags))
SLUICE_BEFORE(int, futimesat, (int dirfd, const char *path, const struct timeval times[2]),
              (dirfd, path, times), path == NULL ? settle_file(dirfd) : settle_name(dirfd, path, 0))
SLUICE_BEFORE(int, utimes, (const char *path, const struct timeval times[2]), (path, times),
              settle_name(AT_FDCWD, path, 0))
SLUICE_BEFORE(int, lutimes, (const char *path, const struct timeval times[2]), (path, times),
              settle_name(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW))
SLUICE_BEFORE(int, utime, (const char *path, const struct utimbuf *times), (path, times),
              settle_name(AT_FDCWD, path, 0))

/* Returns whether the mode has bits that a write by another user than root takes away. */
static bool is_taken_away(mode_t mode)
{
    return mode & (S_ISUID | S_ISGID);
}

/*
 * Prepares a change of mode. The I/O process opens files that this process has entered, with the
 * rights of their owner.
 */
static void before_chmod(int dirfd, const char *path, mode_t mode, int flags)
{
    if ((mode & S_IRWXU) != S_IRWXU)
        sluice_names_change(dirfd, path, flags);
    if (!is_taken_away(mode))
        return;
    if (flags & AT_EMPTY_PATH)
        settle_file(dirfd);
    else
        settle_name(dirfd, path, flags);
}

SLUICE_BEFORE(int, fchmod, (int fd, mode_t mode), (fd, mode),
              before_chmod(fd, "", mode, AT_EMPTY_PATH))
SLUICE_BEFORE(int, fchmodat, (int dirfd, const char *path, mode_t mode, int flags),
              (dirfd, path, mode, flags),
              before_chmod(dirfd, path, mode, flags &AT_SYMLINK_NOFOLLOW))
SLUICE_BEFORE(int, chmod, (const char *path, mode_t mode), (path, mode),
              before_chmod(AT_FDCWD, path, mode, 0))
SLUICE_BEFORE(int, lchmod, (const char *path, mode_t mode), (path, mode),
              before_chmod(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW))

/* Returns whether the kernel derives rights from the attribute. A write removes such attributes. */
static bool is_security(const char *name)
{
    return strncmp(name, "security.", strlen("security.")) == 0;
}

SLUICE_BEFORE(int, fsetxattr, (int fd, const char *name, const void *value, size_t size, int flags),
              (fd, name, value, size, flags), if (is_security(name)) settle_file(fd))
SLUICE_BEFORE(int, setxattr,
              (const char *path, const char *name, const void *value, size_t size, int flags),
              (path, name, value, size, flags),
              if (is_security(name)) settle_name(AT_FDCWD, path, 0))
SLUICE_BEFORE(int, lsetxattr,
              (const char *path, const char *name, const void *value, size_t size, int flags),
              (path, name, value, size, flags),
              if (is_security(name)) settle_name(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW))
