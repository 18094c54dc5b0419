/*
 * Files that the C library opens, writes or closes by itself, past its own exported functions. Each
 * is made complete and direct before the library opens it by its name.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <mntent.h>
#include <nl_types.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <unistd.h>
#include <utmp.h>
#include <utmpx.h>

#include "description.h"
#include "go.h"
#include "open.h"
#include "real.h"
#include "tell.h"

/* Settles a library or a catalogue that the program may just have written. */
__attribute__((noinline)) static void settle_library(const char *file)
{
    sluice_go_may_be_loaded();
    if (file != NULL && strchr(file, '/') != NULL)
        sluice_open_settle(AT_FDCWD, file, O_RDONLY);
}

/*
 * Makes a function leave by a jump, as optimisation does with a call at its end. The dynamic linker
 * looks at the return address, since the search path is the caller's.
 */
#define JUMPS __attribute__((optimize("O2", "omit-frame-pointer", "optimize-sibling-calls")))

/*
 * Removes RTLD_DEEPBIND, with which a library would find the C library's functions before ours, and
 * bypass the log.
 */
static int behind_us(int mode)
{
    return sluice_capture_on() ? mode & ~RTLD_DEEPBIND : mode;
}

/*
 * Makes all files direct before dlmopen(): the loaded objects have a C library of their own, which
 * is before ours.
 */
__attribute__((noinline)) static void follow_no_longer(Lmid_t space, const char *file)
{
    static atomic_bool said;
    if (space == LM_ID_BASE || !sluice_capture_on() || sluice_guard_inside())
        return;
    sluice_images_go_direct(SLUICE_REASON_FOREIGN);
    if (!atomic_exchange(&said, true)) {
        sluice_tell("%s is loaded by dlmopen(), with a C library of its own: from here on the "
                    "files of process "
                    "%d go to their places without the buffer",
                    file != NULL ? file : "the program", (int)getpid());
    }
}

SLUICE_WRAPPER JUMPS void *dlopen(const char *file, int mode)
{
    settle_library(file);
    return REAL(dlopen)(file, behind_us(mode));
}

SLUICE_WRAPPER JUMPS void *dlmopen(Lmid_t space, const char *file, int mode)
{
    settle_library(file);
    follow_no_longer(space, file);
    return REAL(dlmopen)(space, file, behind_us(mode));
}

SLUICE_BEFORE(nl_catd, catopen, (const char *name, int flag), (name, flag), settle_library(name))

SLUICE_WRAPPER FILE *setmntent(const char *file, const char *mode)
{
    char closed[16];
    snprintf(closed, sizeof closed, "%.13se", mode);
    return fopen(file, closed);
}

SLUICE_WRAPPER int endmntent(FILE *file)
{
    if (file != NULL)
        fclose(file);
    return 1;
}

static void settle_written(const char *file)
{
    if (file != NULL)
        sluice_open_settle(AT_FDCWD, file, O_WRONLY);
}

SLUICE_BEFORE(int, utmpname, (const char *file), (file), settle_written(file))
SLUICE_BEFORE(void, updwtmp, (const char *file, const struct utmp *entry), (file, entry),
              settle_written(file))
SLUICE_BEFORE(int, acct, (const char *file), (file), settle_written(file))
SLUICE_BEFORE(int, swapon, (const char *file, int flags), (file, flags), settle_written(file))

/* Settles a captured file among the shared memory objects. */
SLUICE_WRAPPER int shm_open(const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    const char *object = name + strspn(name, "/");
    if (sluice_capture_on() && *object != '\0' && strchr(object, '/') == NULL) {
        snprintf(path, sizeof path, "/dev/shm/%s", object);
        sluice_open_settle(AT_FDCWD, path,
                           (flags & (O_ACCMODE | O_TRUNC)) == O_RDONLY ? O_RDONLY : O_WRONLY);
    }
    return REAL(shm_open)(name, flags, mode);
}

SLUICE_BEFORE(void, backtrace_symbols_fd, (void *const *frames, int count, int fd),
              (frames, count, fd), sluice_descriptor_surrender(fd, SLUICE_REASON_STREAM))

/* login_tty() closes the descriptors 0, 1 and 2. */
SLUICE_AFTER(int, login_tty, (int fd), (fd),
             for (int i = 0; result == 0 && i <= STDERR_FILENO; i++) sluice_description_forget(i))
