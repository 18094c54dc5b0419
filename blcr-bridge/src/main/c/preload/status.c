/* The stat family: the size of a file whose writes are still in the log is in the segment. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "capture.h"
#include "guard.h"
#include "real.h"
#include "status.h"

#define STAT_BLOCK 512

/* The size and blocks that the log adds up to, if the image is logged and has more than its file. */
static void correct(dev_t device, ino_t inode, uint32_t mode, uint64_t *size, uint64_t *blocks)
{
    int64_t logged;
    if (!S_ISREG(mode) || !sluice_capture_on())
        return;
    const struct sluice_segment *segment = sluice_capture_segment();
    if (segment == NULL || !sluice_segment_size(segment, device, inode, &logged))
        return;
    const uint64_t needed = (uint64_t)logged / STAT_BLOCK + (logged % STAT_BLOCK > 0);
    *size = *size < (uint64_t)logged ? (uint64_t)logged : *size; /* or it was written to unseen */
    *blocks = *blocks < needed ? needed : *blocks;
}

int sluice_status_correct(int result, struct stat *status)
{
    if (result == 0) {
        uint64_t size = (uint64_t)status->st_size, blocks = (uint64_t)status->st_blocks;
        correct(status->st_dev, status->st_ino, status->st_mode, &size, &blocks);
        status->st_size = (off_t)size;
        status->st_blocks = (blkcnt_t)blocks;
    }
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
    return sluice_status_correct(REAL(fstatat)(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW),
                                 status);
}

SLUICE_WRAPPER int statx(int dirfd, const char *path, int flags, unsigned mask,
                         struct statx *status)
{
    const int result = REAL(statx)(dirfd, path, flags, mask, status);
    if (result == 0) {
        uint64_t size = status->stx_size, blocks = status->stx_blocks;
        correct(makedev(status->stx_dev_major, status->stx_dev_minor), status->stx_ino,
                status->stx_mode, &size, &blocks);
        status->stx_size = size;
        status->stx_blocks = blocks;
    }
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
