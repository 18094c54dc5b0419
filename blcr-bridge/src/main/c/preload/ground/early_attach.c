#include "early_attach.h"

#include <errno.h>
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

/* Returns whether this is a shell, whose programs open files: bash, dash and others. */
static bool is_shell(void)
{
    const size_t length = strlen(program_invocation_short_name);
    return length >= 2 && strcmp(program_invocation_short_name + length - 2, "sh") == 0;
}

/* Returns whether a launcher started this process, or `sluice run` that the launcher started. */
static bool is_started(const char *told)
{
    return !sluice_launcher_parent_has(told) || !sluice_launcher_parent_has("SLUICE_DIRECTORY");
}

static void ask(void)
{
    sluice_early_undecided = false;
    sluice_capture_ask();
}

void sluice_early_begin(void)
{
    const char *told = sluice_launcher_variable();
    is_rank = told != NULL;
    sluice_early_in_child();
    if ((is_rank && !is_shell() && is_started(told))
        || (is_rank && dl_iterate_phdr(is_mpi, NULL) != 0)) {
        ask();
    }
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

/* Returns whether a path from the working directory is captured, which `whole` has room for. */
static bool is_captured_here(const char *path, char whole[PATH_MAX])
{
    if (sluice_kernel_call(SYS_getcwd, (long)whole, PATH_MAX) < 0)
        return false;
    const size_t length = strlen(whole);
    const char *name = strncmp(path, "./", 2) == 0 ? path + 2 : path;
    if (strcmp(name, ".") != 0 && length + strlen(name) + 2 <= PATH_MAX) {
        whole[length] = '/';
        strcpy(whole + length + 1, name);
    }
    return sluice_capture_names(whole);
}

/*
 * Returns whether a path is captured by its text alone. A path from another directory is not. The
 * stack, perhaps a signal handler's small one, has no room for a path; where two look at once, one
 * sees no sign.
 */
static bool is_captured(int dirfd, const char *path)
{
    static char whole[PATH_MAX];
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    if (path == NULL || path[0] == '/')
        return path != NULL && sluice_capture_names(path);
    if (dirfd != AT_FDCWD || atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
        return false;
    const bool captured = is_captured_here(path, whole);
    atomic_flag_clear_explicit(&taken, memory_order_release);
    return captured;
}

void sluice_early_look(int dirfd, const char *path)
{
    if (sluice_guard_inside())
        return;
    const bool grown = sluice_clock() - began >= GROWN;
    if (grown + is_rank == 2 || (grown + is_rank == 1 && is_captured(dirfd, path)))
        ask();
}
