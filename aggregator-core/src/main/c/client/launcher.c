#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"

#define MAX_NAMES 4

/*
 * The launchers' variables, in order of preference. PMIx alone tells a rank but not the number of
 * ranks. Slurm's variables are in batch scripts, too, where they describe no rank: only those of a
 * step do.
 */
static const struct launcher {
    const char *rank;
    const char *ranks[MAX_NAMES];
    const char *local[MAX_NAMES]; /* the number of ranks on this node */
    const char *only_with;
} launchers[] = {
    {"SLUICE_RANK", {"SLUICE_RANKS"}, {NULL}, NULL},
    {"OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE"}, {"OMPI_COMM_WORLD_LOCAL_SIZE"}, NULL},
    {"PMI_RANK", {"PMI_SIZE"}, {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE", "PALS_LOCAL_SIZE"}, NULL},
    {"PMIX_RANK", {NULL}, {NULL}, NULL},
    {"SLURM_PROCID", {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, {NULL}, "SLURM_STEP_ID"},
};

/* torchrun and its like. No checkpoint waits for their ranks, since often only the first writes. */
static const struct launcher torch = {"RANK", {NULL}, {NULL}, "LOCAL_RANK"};

#define LAUNCHERS (sizeof launchers / sizeof *launchers)

static const char *const nodes[] = {"SLURM_STEP_NUM_NODES", "SLURM_NNODES", "FLUX_JOB_NNODES"};

/* Returns the value of a variable; -1 when it is unset or not a number of at least `minimum`. */
static int number(const char *name, int minimum)
{
    const char *text = name == NULL ? NULL : getenv(name);
    if (text == NULL || *text == 0)
        return -1;
    char *end;
    const long value = strtol(text, &end, 10);
    return *end == 0 && value >= minimum && value < INT_MAX ? (int)value : -1;
}

/* Returns the first of these variables that is a number from 1 on; 0 for none. */
static int count(const char *const names[], size_t length)
{
    int found = -1;
    for (size_t i = 0; i < length && names[i] != NULL && found < 0; i++)
        found = number(names[i], 1);
    return found < 0 ? 0 : found;
}

static int rank_of(const struct launcher *launcher)
{
    return launcher->only_with == NULL || getenv(launcher->only_with) != NULL
        ? number(launcher->rank, 0)
        : -1;
}

static int ranks_of(const struct launcher *launcher)
{
    return rank_of(launcher) < 0 ? 0 : count(launcher->ranks, MAX_NAMES);
}

void sluice_launcher_rank(int *rank, int *ranks)
{
    *rank = -1;
    *ranks = 0;
    for (size_t i = 0; i < LAUNCHERS; i++) {
        *rank = *rank < 0 ? rank_of(&launchers[i]) : *rank;
        *ranks = *ranks == 0 ? ranks_of(&launchers[i]) : *ranks;
    }
}

/* Returns whether an environment, open as `fd`, has a variable. */
static bool has_variable(int fd, const char *name)
{
    const size_t length = strlen(name);
    char block[1024];
    size_t same = 0; /* the characters of this entry that are the name's; more behind another one */
    bool any = false;
    long count;
    while ((count = sluice_kernel_call(SYS_read, fd, (long)block, sizeof block)) > 0) {
        any = true;
        for (long i = 0; i < count; i++) {
            if (same == length && block[i] == '=')
                return true;
            same = block[i] == '\0'                       ? 0
                : same < length && block[i] == name[same] ? same + 1
                                                          : length + 1;
        }
    }
    return count < 0 || !any; /* a zombie has an empty one */
}

/* Returns whether another user runs a process, as a daemon of Slurm that starts ranks. */
static bool is_anothers(pid_t pid)
{
    char path[40];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", pid);
    return sluice_kernel_call(SYS_newfstatat, AT_FDCWD, (long)path, (long)&status, 0) == 0
        && status.st_uid != geteuid();
}

/* Returns whether the parent began with a variable, or may have. */
static bool parent_has(const char *name)
{
    char path[40];
    const pid_t parent = getppid();
    snprintf(path, sizeof path, "/proc/%d/environ", parent);
    const int fd = sluice_kernel_open(path, O_RDONLY);
    if (fd < 0)
        return fd != -EACCES || !is_anothers(parent);
    const bool has = has_variable(fd, name);
    sluice_kernel_close(fd);
    return has;
}

bool sluice_launcher_tells(void)
{
    int rank, ranks;
    sluice_launcher_rank(&rank, &ranks);
    return rank >= 0;
}

bool sluice_launcher_started(void)
{
    for (size_t i = 0; i < LAUNCHERS; i++)
        if (rank_of(&launchers[i]) >= 0 && !parent_has(launchers[i].rank))
            return true;
    return rank_of(&torch) >= 0 && !parent_has(torch.rank);
}

/*
 * Returns the number at an index of Slurm's "2(x3),1", if all numbers together are `sum`; else 0.
 */
static int listed(const char *list, int index, int sum)
{
    long at = 0, all = 0, found = 0;
    while (list != NULL && *list != 0) {
        char *end;
        long times = 1;
        const long tasks = strtol(list, &end, 10);
        if (end == list || tasks < 0 || tasks > sum)
            return 0;
        if (end[0] == '(' && end[1] == 'x') {
            times = strtol(end + 2, &end, 10);
            if (*end++ != ')' || times < 1 || times > INT_MAX)
                return 0;
        }
        found = index >= at && index < at + times ? tasks : found;
        at += times;
        all += tasks * times;
        if (all > sum || (*end != 0 && *end++ != ','))
            return 0;
        list = end;
    }
    return all == sum ? (int)found : 0;
}

/*
 * Returns Slurm's number of ranks on this node. The number asked for on each node counts only if
 * all nodes have as many.
 */
static int slurm_local(int ranks)
{
    const int node = number("SLURM_NODEID", 0);
    int local = listed(getenv("SLURM_STEP_TASKS_PER_NODE"), node, ranks);
    local = local != 0 ? local : listed(getenv("SLURM_TASKS_PER_NODE"), node, ranks);
    const long each = number("SLURM_NTASKS_PER_NODE", 1);
    return local != 0 ? local : each > 0 && each * count(nodes, 2) == ranks ? (int)each : 0;
}

/* Returns the number of ranks on this node that a launcher tells; 0 when it does not. */
static int local_of(const struct launcher *launcher)
{
    const int ranks = ranks_of(launcher);
    const int local =
        launcher->only_with == NULL ? count(launcher->local, MAX_NAMES) : slurm_local(ranks);
    return local <= ranks ? local : 0;
}

int sluice_launcher_local_ranks(int ranks)
{
    bool spread = false;
    const int said = number("SLUICE_LOCAL_RANKS", 1);
    if (said > 0 && said <= ranks)
        return said == ranks ? 0 : said;
    for (size_t i = 0; i < LAUNCHERS && ranks > 1; i++) {
        const int all = ranks_of(&launchers[i]);
        const int local = all == 0 ? 0 : local_of(&launchers[i]);
        if (local > 0 && (all == ranks || all == local))
            return all == local ? 0 : local;
        spread |= local > 0;
    }
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        spread |= number(nodes[i], 2) > 0;
    return ranks > 1 && spread ? SLUICE_LAUNCHER_SPREAD : 0;
}
