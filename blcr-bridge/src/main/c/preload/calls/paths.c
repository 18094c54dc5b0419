/*
 * Calls that the kernel carries out as they are. Their paths show which process is likely to open a
 * captured file soon.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "early_attach.h"
#include "real.h"

SLUICE_AFTER(int, mkdirat, (int dirfd, const char *path, mode_t mode), (dirfd, path, mode),
             sluice_early_touched(dirfd, path, result != 0))
SLUICE_AFTER(int, mkdir, (const char *path, mode_t mode), (path, mode),
             sluice_early_touched(AT_FDCWD, path, result != 0))
SLUICE_AFTER(int, faccessat, (int dirfd, const char *path, int mode, int flags),
             (dirfd, path, mode, flags), sluice_early_touched(dirfd, path, result != 0))
SLUICE_AFTER(int, access, (const char *path, int mode), (path, mode),
             sluice_early_touched(AT_FDCWD, path, result != 0))
SLUICE_AFTER(DIR *, opendir, (const char *path), (path),
             sluice_early_touched(AT_FDCWD, path, result == NULL))
SLUICE_AFTER(int, chdir, (const char *path), (path),
             sluice_early_touched(AT_FDCWD, ".", result != 0))

/* A process that restricts its own calls makes those of its own from then on. */
SLUICE_WRAPPER int prctl(int option, ...)
{
    va_list rest;
    va_start(rest, option);
    const unsigned long a = va_arg(rest, unsigned long), b = va_arg(rest, unsigned long);
    const unsigned long c = va_arg(rest, unsigned long), d = va_arg(rest, unsigned long);
    va_end(rest);
    if (option == PR_SET_SECCOMP)
        sluice_early_never();
    return REAL(prctl)(option, a, b, c, d);
}
