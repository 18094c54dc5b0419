/*
 * The watch for a program that lacks loop state after a restart. Such a program may never come to
 * its next spot, and nothing else would say so. Rank 0 says it by a thread of its own, since the
 * rank may compute, or wait within MPI.
 */
#pragma once

#include <stdint.h>

/* Notes that this process is at its first spot. */
void sluice_mpi_watch_first(void);

/* Returns the mean nanoseconds from spot to spot in this process; 0: unknown. */
int64_t sluice_mpi_watch_usual(void);

/*
 * Begins the watch after the state of a wave is restored. `usual` is the mean nanoseconds from spot
 * to spot of the run that wrote it.
 */
void sluice_mpi_watch_begin(int64_t wave, int64_t usual);

/* Ends the watch: no spot is to come any more. */
void sluice_mpi_watch_end(void);
