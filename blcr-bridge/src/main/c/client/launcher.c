#include "launcher.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

/* In order of preference; PMIx alone tells a rank but not how many there are. */
static const struct {
    const char *rank;
    const char *ranks;
} launchers[] = {
    {"SLUICE_RANK", "SLUICE_RANKS"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"PMIX_RANK", NULL},
    {"SLURM_PROCID", "SLURM_NTASKS"},
};

#define LAUNCHERS (sizeof launchers / sizeof *launchers)

/* The value of a variable, -1 when it is unset or not a number of at least `minimum`. */
static int number(const char *name, int minimum)
{
    const char *text = name == NULL ? NULL : getenv(name);
    if (text == NULL || *text == 0) {
        return -1;
    }
    char *end;
    const long value = strtol(text, &end, 10);
    return *end == 0 && value >= minimum && value < INT_MAX ? (int)value : -1;
}

void sluice_launcher_rank(int *rank, int *ranks)
{
    *rank = -1;
    *ranks = 0;
    for (size_t i = 0; i < LAUNCHERS; i++) {
        const int found = number(launchers[i].rank, 0);
        const int size = number(launchers[i].ranks, 1);
        *rank = *rank < 0 ? found : *rank;
        *ranks = *ranks == 0 && size > 0 ? size : *ranks;
    }
}
