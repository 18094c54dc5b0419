/* The stat family: the size of a file whose writes are still in the log is in the segment. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "capture.h"
#include "guard.h"
#include "real.h"
#include "status.h"

#define STAT_BLOCK 512

static bool logical_size(dev_t device, ino_t inode, int64_t *size)
{
    const struct sluice_segment *segment = sluice_capture_segment();
    return segment != NULL && sluice_segment_size(segment, device, inode, size);
}

int sluice_status_correct(int result, struct stat *status)
{
    int64_t size;
    if (result != 0 || !S_ISREG(status->st_mode) || !sluice_capture_on()
        || !logical_size(status->st_dev, status->st_ino, &size))
        return result;
    const blkcnt_t blocks = size / STAT_BLOCK + (size % STAT_BLOCK > 0);
    if (size > status->st_size) /* or somebody has written to it unseen */
        status->st_size = size;
    status->st_blocks = status->st_blocks < blocks ? blocks : status->st_blocks;
    return result;
}

SLUICE_WRAPPER int fstat(int fd, struct stat *status)
{
    return sluice_status_correct(REAL(fstat)(fd, status), status);
}

SLUICE_WRAPPER int fstatat(int dirfd, const char *path, struct stat *status, int flags)
{
    return sluice_status_correct(REAL(fstatat)(dirfd, path, status, flags), status);
}

SLUICE_WRAPPER int stat(const char *path, struct stat *status)
{
    return sluice_status_correct(REAL(fstatat)(AT_FDCWD, path, status, 0), status);
}

SLUICE_WRAPPER int lstat(const char *path, struct stat *status)
{
    return sluice_status_correct(REAL(fstatat)(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW), status);
}

SLUICE_WRAPPER int statx(int dirfd, const char *path, int flags, unsigned mask,
                         struct statx *status)
{
    int64_t size;
    const int result = REAL(statx)(dirfd, path, flags, mask, status);
    if (result != 0 || !S_ISREG(status->stx_mode) || !sluice_capture_on()
        || !logical_size(makedev(status->stx_dev_major, status->stx_dev_minor), status->stx_ino,
                         &size))
        return result;
    const uint64_t blocks = (uint64_t)size / STAT_BLOCK + (size % STAT_BLOCK > 0);
    if ((uint64_t)size > status->stx_size)
        status->stx_size = (uint64_t)size;
    status->stx_blocks = status->stx_blocks < blocks ? blocks : status->stx_blocks;
    return result;
}

/* What programs call that were linked with a C library before 2.33. `version` has one value here. */
#define VERSIONED(name, parameters, call)                                                          \
    SLUICE_WRAPPER int name parameters                                                             \
    {                                                                                              \
        (void)version;                                                                             \
        return call;                                                                               \
    }

VERSIONED(__fxstat, (int version, int fd, struct stat *status), fstat(fd, status))
VERSIONED(__xstat, (int version, const char *path, struct stat *status), stat(path, status))
VERSIONED(__lxstat, (int version, const char *path, struct stat *status), lstat(path, status))
VERSIONED(__fxstatat, (int version, int dirfd, const char *path, struct stat *status, int flags),
          fstatat(dirfd, path, status, flags))
