/* A wave at this rank, whatever the protocol. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rank 0 says to a coordinator that knows nothing of the job that it is there: at the start, and `again`. */
void sluice_mpi_hello(bool again);

/* Carries out an order of the coordinator. The bytes are gone behind it. */
void sluice_mpi_order(int kind, int64_t wave, const void *bytes, size_t length);

/* This rank cannot take part: the wave is over here, and the coordinator gives it up with this reason. */
void sluice_mpi_refuse_wave(const char *why);

/* The wave is over for this rank. */
void sluice_mpi_wave_ends(void);
