/* The rank of this process in its job, as the launcher's environment tells. */
#pragma once

#include <stdbool.h>

/*
 * Reads SLUICE_RANK and SLUICE_RANKS, else the variables of Open MPI, Hydra and other PMIs, PMIx or
 * Slurm. `rank` is -1 and `ranks` 0 where unknown. Reads the environment; thread-safe as getenv()
 * is.
 */
void sluice_launcher_rank(int *rank, int *ranks);

/*
 * Returns the variable by which one of these or torchrun tells a rank; NULL without any. The ranks
 * of torchrun count as none above. Reads the environment; thread-safe as getenv() is.
 */
const char *sluice_launcher_variable(void);

/*
 * Returns whether the process that started this one began with that variable. True where the kernel
 * does not tell. Thread-safe.
 */
bool sluice_launcher_parent_has(const char *name);

/* The job runs on several nodes, and nothing tells the number of ranks on this one. */
#define SLUICE_LAUNCHER_SPREAD (-1)

/*
 * Returns the number of a job's `ranks` ranks that run on this node. 0: all of them, as nothing
 * tells of another node. SLUICE_LAUNCHER_SPREAD: unknown. SLUICE_LOCAL_RANKS tells it, else the
 * launcher, if its job has as many ranks or none elsewhere. Reads the environment; thread-safe as
 * getenv() is.
 */
int sluice_launcher_local_ranks(int ranks);
