#include "early_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static bool is_rank_in_child; /* no worker of a rank of torchrun is one */
static atomic_bool never;
static atomic_flag is_taken = ATOMIC_FLAG_INIT; /* a thread has the room for a path */

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

/* Returns whether this is a shell, whose programs open files. */
static bool is_shell(void)
{
    static const char *const shells[] = {"sh",  "bash", "dash", "ash",  "rbash", "ksh",
                                         "zsh", "mksh", "csh",  "tcsh", "fish",  "ksh93"};
    const char *name = program_invocation_short_name;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(name + (name[0] == '-'), shells[i]) == 0)
            return true;
    return false;
}

/* Returns whether `sluice run` started this program, perhaps by way of env or numactl. */
static bool is_command(void)
{
    const char *command = getenv("SLUICE_COMMAND");
    return command != NULL && atoi(command) == getpid();
}

static void ask(void)
{
    sluice_early_undecided = false;
    sluice_capture_ask();
}

static void begin_to_look(void)
{
    began = sluice_clock();
    sluice_early_undecided = !never;
}

void sluice_early_begin(void)
{
    const bool is_told = sluice_launcher_tells();
    const bool is_started = sluice_launcher_started() || (is_told && is_command());
    is_rank = is_told || is_started;
    begin_to_look();
    if ((is_started && !is_shell()) || (is_rank && dl_iterate_phdr(is_mpi, NULL) != 0))
        ask();
    is_rank_in_child = is_told;
}

void sluice_early_in_child(void)
{
    is_rank = is_rank_in_child;
    atomic_flag_clear(&is_taken); /* by a thread that the child does not have */
    begin_to_look();
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
    if (path == NULL || path[0] == '/')
        return path != NULL && sluice_capture_names(path);
    if (dirfd != AT_FDCWD || atomic_flag_test_and_set_explicit(&is_taken, memory_order_acquire))
        return false;
    const bool captured = is_captured_here(path, whole);
    atomic_flag_clear_explicit(&is_taken, memory_order_release);
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
