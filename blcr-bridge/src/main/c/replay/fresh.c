#include "fresh.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "status.h"

/* Adds a library to those that the dynamic linker loads before the program's own. */
static void preload(const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    char *all;
    if (asprintf(&all, "%s%s%s", others == NULL ? "" : others, others == NULL ? "" : ":", library)
            < 0
        || setenv("LD_PRELOAD", all, 1) != 0) {
        sluice_launch_fail(1, "no memory");
    }
    free(all);
}

_Noreturn void replay_fresh_exec(const struct replay_fresh *fresh, int rank)
{
    size_t count = 0;
    while (fresh->arguments[count] != NULL)
        count++;
    char **arguments = calloc(count + 2, sizeof *arguments);
    if (arguments == NULL
        || asprintf(&arguments[1], "%s%d,%d", REPLAY_FRESH_RANK, rank, fresh->board) < 0) {
        sluice_launch_fail(1, "no memory");
    }
    arguments[0] = fresh->arguments[0];
    for (size_t i = 1; i < count; i++)
        arguments[i + 1] = fresh->arguments[i];
    if (fresh->library != NULL)
        preload(fresh->library);
    execv("/proc/self/exe", arguments);
    sluice_launch_fail(1, "cannot start a rank: %m");
}

bool replay_fresh_read(struct replay_fresh *fresh, const char *text)
{
    fresh->is_rank = sscanf(text, "%d,%d", &fresh->rank, &fresh->board) == 2 && fresh->rank >= 0;
    return fresh->is_rank;
}

void replay_fresh_check(const struct replay_fresh *fresh)
{
    if (fresh->library != NULL && dlopen(fresh->library, RTLD_LAZY | RTLD_NOLOAD) == NULL)
        sluice_launch_fail(1, "%s is not there to be loaded; see --mpi", fresh->library);
}
