/*
 * A program that lacks loop state behind a restart may never come to its next spot, and nothing else would say so. Rank 0
 * says it by a thread of its own: the rank may compute, or wait within MPI.
 */
#pragma once

#include <stdint.h>

/* This process is at its first spot. */
void sluice_mpi_watch_first(void);

/* Nanoseconds from spot to spot in this process, the mean; 0: not known. */
int64_t sluice_mpi_watch_usual(void);

/* The state of a wave is put back; from spot to spot the run that wrote it took so long. */
void sluice_mpi_watch_begin(int64_t wave, int64_t usual);

/* No spot is to come any more. */
void sluice_mpi_watch_end(void);
