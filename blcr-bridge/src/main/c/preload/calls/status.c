/*
 * The stat family, and functions that use it. The segment has the size of a file whose writes are
 * still in the log.
 */
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "capture.h"
#include "early_attach.h"
#include "real.h"

#define STAT_BLOCK 512

/*
 * Raises the size and blocks to those of the log, if the image is logged and has more than its
 * file. True: ask the kernel once more, since it may have answered before the log reached the file.
 */
static bool correct(dev_t device, ino_t inode, uint32_t mode, uint64_t *size, uint64_t *blocks)
{
    int64_t logged;
    if (!S_ISREG(mode) || !sluice_capture_on())
        return false;
    const struct sluice_segment *segment = sluice_capture_segment();
    if (segment == NULL)
        return false;
    if (!sluice_segment_size(segment, device, inode, &logged))
        return sluice_segment_was_longer(segment, device, inode, (int64_t)*size);
    const uint64_t needed = (uint64_t)logged / STAT_BLOCK + (logged % STAT_BLOCK > 0);
    *size = *size < (uint64_t)logged ? (uint64_t)logged : *size; /* more after unseen writes */
    *blocks = *blocks < needed ? needed : *blocks;
    return false;
}

/* Corrects the size and blocks in a status. True: ask the kernel once more. */
static bool correct_status(struct stat *status)
{
    uint64_t size = (uint64_t)status->st_size, blocks = (uint64_t)status->st_blocks;
    const bool again = correct(status->st_dev, status->st_ino, status->st_mode, &size, &blocks);
    status->st_size = (off_t)size;
    status->st_blocks = (blkcnt_t)blocks;
    return again;
}

/* Defines a function of the stat family, by a call that fills in a status. `path` may be NULL. */
#define CORRECTED(name, parameters, dirfd, path, call)                                             \
    SLUICE_WRAPPER int name parameters                                                             \
    {                                                                                              \
        int result = call;                                                                         \
        sluice_early_touched(dirfd, path, result != 0);                                            \
        if (result == 0 && correct_status(status)) {                                               \
            result = call;                                                                         \
            if (result == 0)                                                                       \
                correct_status(status);                                                            \
        }                                                                                          \
        return result;                                                                             \
    }

CORRECTED(fstat, (int fd, struct stat *status), fd, NULL, REAL(fstat)(fd, status))
CORRECTED(fstatat, (int dirfd, const char *path, struct stat *status, int flags), dirfd, path,
          REAL(fstatat)(dirfd, path, status, flags))
CORRECTED(stat, (const char *path, struct stat *status), AT_FDCWD, path,
          REAL(fstatat)(AT_FDCWD, path, status, 0))
CORRECTED(lstat, (const char *path, struct stat *status), AT_FDCWD, path,
          REAL(fstatat)(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW))

/* Corrects the size and blocks in a status of the newer kind. True: ask the kernel once more. */
static bool correct_statx(struct statx *status)
{
    uint64_t size = status->stx_size, blocks = status->stx_blocks;
    const bool again = correct(makedev(status->stx_dev_major, status->stx_dev_minor),
                               status->stx_ino, status->stx_mode, &size, &blocks);
    status->stx_size = size;
    status->stx_blocks = blocks;
    return again;
}

SLUICE_WRAPPER int statx(int dirfd, const char *path, int flags, unsigned mask,
                         struct statx *status)
{
    int result = REAL(statx)(dirfd, path, flags, mask, status);
    sluice_early_touched(dirfd, path, result != 0);
    if (result == 0 && correct_statx(status)) {
        result = REAL(statx)(dirfd, path, flags, mask, status);
        if (result == 0)
            correct_statx(status);
    }
    return result;
}

/* Functions for programs linked with a C library before 2.33. `version` has one value here. */
SLUICE_AS(int, __fxstat, (int version, int fd, struct stat *status),
          ((void)version, fstat(fd, status)))
SLUICE_AS(int, __xstat, (int version, const char *path, struct stat *status),
          ((void)version, stat(path, status)))
SLUICE_AS(int, __lxstat, (int version, const char *path, struct stat *status),
          ((void)version, lstat(path, status)))
SLUICE_AS(int, __fxstatat,
          (int version, int dirfd, const char *path, struct stat *status, int flags),
          ((void)version, fstatat(dirfd, path, status, flags)))

/*
 * ---- walks through directories, for which the C library asks for each file's status by itself
 * ----
 */

/* The function that this thread's present walk calls; a walk may begin another. */
static _Thread_local union {
    __ftw_func_t simple;
    __nftw_func_t full;
} step;

static int simple_step(const char *path, const struct stat *status, int type)
{
    struct stat copy = *status;
    if (type == FTW_F)
        correct_status(&copy);
    return step.simple(path, &copy, type);
}

static int full_step(const char *path, const struct stat *status, int type, struct FTW *place)
{
    struct stat copy = *status;
    if (type == FTW_F)
        correct_status(&copy);
    return step.full(path, &copy, type, place);
}

SLUICE_WRAPPER int ftw(const char *directory, __ftw_func_t function, int descriptors)
{
    __ftw_func_t outer = step.simple;
    step.simple = function;
    const int result = REAL(ftw)(directory, simple_step, descriptors);
    step.simple = outer;
    return result;
}

SLUICE_WRAPPER int nftw(const char *directory, __nftw_func_t function, int descriptors, int flags)
{
    __nftw_func_t outer = step.full;
    step.full = function;
    const int result = REAL(nftw)(directory, full_step, descriptors, flags);
    step.full = outer;
    return result;
}

static void correct_entry(FTSENT *entry)
{
    if (entry != NULL && entry->fts_info == FTS_F && entry->fts_statp != NULL)
        correct_status(entry->fts_statp);
}

SLUICE_AFTER(FTSENT *, fts_read, (FTS *walk), (walk), correct_entry(result))

SLUICE_WRAPPER FTSENT *fts_children(FTS *walk, int options)
{
    FTSENT *const first = REAL(fts_children)(walk, options);
    for (FTSENT *each = first; each != NULL && !(options & FTS_NAMEONLY); each = each->fts_link)
        correct_entry(each);
    return first;
}
