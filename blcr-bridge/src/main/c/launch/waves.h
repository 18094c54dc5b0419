/* What sluice mpi sees of the waves of its store, and asks of their coordinator. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "job.h"

/*
 * The newest checkpoint that a wave made; -1 without one. Ends the process when that cannot be told: to begin anew would
 * lose what is there. One line has said why.
 */
int64_t sluice_launch_waves_newest(const struct sluice_launch_job *job);

/* The same between two runs, and -1: false where it cannot be told. The next run finds out why. */
bool sluice_launch_waves_know(const struct sluice_launch_job *job, int64_t *newest);

/* How long the log is in which each job says that it has begun; -1 where it is on a node's stage. */
int64_t sluice_launch_waves_heard(const struct sluice_launch_job *job);

/*
 * Whether all ranks of the last job that the log has behind that length have come to MPI_Finalize: true where that
 * cannot be told.
 */
bool sluice_launch_waves_ended(const struct sluice_launch_job *job, int64_t before);

/* Asks for a wave. One line says so when no rank has come so far that one could be taken. */
void sluice_launch_waves_ask(const struct sluice_launch_job *job);
