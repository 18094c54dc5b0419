#include "early_attach.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "capture.h"
#include "clock.h"
#include "guard.h"
#include "kernel.h"
#include "launcher.h"

/* The age in nanoseconds from which on a process is hardly one of a script's tools. */
#define GROWN 20000000

atomic_bool sluice_early_undecided;

static _Atomic int64_t began; /* the time of this process's start */
static bool is_rank;
static atomic_bool never;

static const char *const libraries[] = {"libmpi.so", "libmpich", "libmpi_"};

static int is_mpi(struct dl_phdr_info *object, size_t size, void *nothing)
{
    (void)size;
    (void)nothing;
    const char *slash = strrchr(object->dlpi_name, '/');
    const char *name = slash == NULL ? object->dlpi_name : slash + 1;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
            return 1;
    return 0;
}

static void ask(void)
{
    sluice_early_undecided = false;
    sluice_capture_ask();
}

void sluice_early_begin(void)
{
    int rank, ranks;
    sluice_launcher_rank(&rank, &ranks);
    is_rank = rank >= 0;
    sluice_early_in_child();
    if (is_rank && dl_iterate_phdr(is_mpi, NULL) != 0)
        ask();
}

void sluice_early_in_child(void)
{
    began = sluice_clock();
    sluice_early_undecided = !never;
}

void sluice_early_never(void)
{
    never = true;
    sluice_early_undecided = false;
}

/*
 * Returns whether a path is captured by its text alone. A path from another directory is not. The
 * room on the stack, perhaps a signal handler's small one, is given back before the process asks.
 */
__attribute__((noinline)) static bool is_captured(int dirfd, const char *path)
{
    char whole[PATH_MAX];
    if (path == NULL || path[0] == '/')
        return path != NULL && sluice_capture_names(path);
    if (dirfd != AT_FDCWD || sluice_kernel_call(SYS_getcwd, (long)whole, sizeof whole) < 0)
        return false;
    const size_t length = strlen(whole);
    const char *name = strncmp(path, "./", 2) == 0 ? path + 2 : path;
    if (strcmp(name, ".") != 0 && length + strlen(name) + 2 <= sizeof whole) {
        whole[length] = '/';
        strcpy(whole + length + 1, name);
    }
    return sluice_capture_names(whole);
}

void sluice_early_look(int dirfd, const char *path)
{
    if (sluice_guard_inside())
        return;
    const bool grown = sluice_clock() - began >= GROWN;
    if (grown + is_rank == 2 || (grown + is_rank == 1 && is_captured(dirfd, path)))
        ask();
}
