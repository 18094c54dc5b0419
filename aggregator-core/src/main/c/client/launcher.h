/* The rank of this process in its job, as the launcher's environment tells. */
#pragma once

#include <stdbool.h>

/*
 * Reads SLUICE_RANK and SLUICE_RANKS, else the variables of Open MPI, Hydra and other PMIs, PMIx or
 * Slurm. `rank` is -1 and `ranks` 0 where unknown. Reads the environment; thread-safe as getenv()
 * is.
 */
void sluice_launcher_rank(int *rank, int *ranks);

/* Returns whether one of these tells a rank. Thread-safe as getenv() is. */
bool sluice_launcher_tells(void);

/*
 * Returns whether one of these launchers, or torchrun, itself started this process: a variable tells
 * a rank, and the parent began without it. False where the kernel does not tell. The ranks of
 * torchrun count as none above. Thread-safe as getenv() is.
 */
bool sluice_launcher_started(void);

/* The job runs on several nodes, and nothing tells the number of ranks on this one. */
#define SLUICE_LAUNCHER_SPREAD (-1)

/*
 * Returns the number of a job's `ranks` ranks that run on this node. 0: all of them, as nothing
 * tells of another node. SLUICE_LAUNCHER_SPREAD: unknown. SLUICE_LOCAL_RANKS tells it, else the
 * launcher, if its job has as many ranks or none elsewhere. Reads the environment; thread-safe as
 * getenv() is.
 */
int sluice_launcher_local_ranks(int ranks);
