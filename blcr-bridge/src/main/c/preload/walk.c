/* Walks through directories, on which the C library asks for the status of each file by itself. */
#include <fts.h>
#include <ftw.h>
#include <stddef.h>

#include "real.h"
#include "status.h"

/* What the walks that this thread is on call; one may begin another. */
static _Thread_local union {
    __ftw_func_t simple;
    __nftw_func_t full;
} step;

static int simple_step(const char *path, const struct stat *status, int type)
{
    struct stat corrected = *status;
    if (type == FTW_F)
        sluice_status_correct(0, &corrected);
    return step.simple(path, &corrected, type);
}

static int full_step(const char *path, const struct stat *status, int type, struct FTW *place)
{
    struct stat corrected = *status;
    if (type == FTW_F)
        sluice_status_correct(0, &corrected);
    return step.full(path, &corrected, type, place);
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

static void correct(FTSENT *entry)
{
    if (entry != NULL && entry->fts_info == FTS_F && entry->fts_statp != NULL)
        sluice_status_correct(0, entry->fts_statp);
}

SLUICE_AFTER(FTSENT *, fts_read, (FTS *walk), (walk), correct(result))

SLUICE_WRAPPER FTSENT *fts_children(FTS *walk, int options)
{
    FTSENT *const first = REAL(fts_children)(walk, options);
    for (FTSENT *each = first; each != NULL && !(options & FTS_NAMEONLY); each = each->fts_link)
        correct(each);
    return first;
}
