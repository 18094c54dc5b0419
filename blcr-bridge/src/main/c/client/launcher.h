/* Who this process is in its job, as the launcher's environment tells. */
#ifndef SLUICE_LAUNCHER_H
#define SLUICE_LAUNCHER_H

/*
 * SLUICE_RANK and SLUICE_RANKS, else what Open MPI, Hydra and other PMIs, PMIx or Slurm say.
 * `rank` is -1 and `ranks` 0 where unknown. Reads the environment; thread-safe as getenv is.
 */
void sluice_launcher_rank(int *rank, int *ranks);

#endif
