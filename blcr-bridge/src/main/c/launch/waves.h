/* The waves in the store of sluice mpi, and requests to their coordinator. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "job.h"

/*
 * Returns the newest checkpoint that a wave made; -1 without one. Ends the process when that is
 * unknown, after a line that says why: a new beginning would lose existing checkpoints.
 */
int64_t sluice_launch_waves_newest(const struct sluice_launch_job *job);

/*
 * Finds the newest checkpoint of a wave between two runs; -1 without one. False where it is
 * unknown. The next run finds out why.
 */
bool sluice_launch_waves_know(const struct sluice_launch_job *job, int64_t *newest);

/*
 * Returns the length in bytes of the log in which each job notes its beginning; -1 where the log is
 * on a node's stage.
 */
int64_t sluice_launch_waves_heard(const struct sluice_launch_job *job);

/*
 * Returns whether all ranks of the last job behind that length of the log have come to
 * MPI_Finalize. True where that is unknown.
 */
bool sluice_launch_waves_ended(const struct sluice_launch_job *job, int64_t before);

/* Asks for a wave. Says in one line when no rank has come far enough for a wave. */
void sluice_launch_waves_ask(const struct sluice_launch_job *job);
