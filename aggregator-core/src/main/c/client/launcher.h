/* Who this process is in its job, as the launcher's environment tells. */
#pragma once

/*
 * SLUICE_RANK and SLUICE_RANKS, else what Open MPI, Hydra and other PMIs, PMIx or Slurm say.
 * `rank` is -1 and `ranks` 0 where unknown. Reads the environment; thread-safe as getenv is.
 */
void sluice_launcher_rank(int *rank, int *ranks);

/* The job runs on several nodes, and nothing says how many ranks on this one. */
#define SLUICE_LAUNCHER_SPREAD (-1)

/*
 * How many of a job's `ranks` ranks run on this node; 0: all of them, as nothing says that there is
 * another node; or SLUICE_LAUNCHER_SPREAD. SLUICE_LOCAL_RANKS says it, else the launcher, if its job has
 * as many ranks, or none elsewhere. Reads the environment; thread-safe as getenv is.
 */
int sluice_launcher_local_ranks(int ranks);
