/* A wave at this rank, whatever the protocol. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Tells a coordinator that knows nothing of the job of it, called at rank 0: at the start, and
 * `again`.
 */
void sluice_mpi_hello(bool again);

/* Carries out an order of the coordinator. The bytes are gone after the call. */
void sluice_mpi_order(int kind, int64_t wave, const void *bytes, size_t length);

/*
 * Refuses the wave: this rank cannot take part. The wave is over here, and the coordinator gives it
 * up with this reason.
 */
void sluice_mpi_refuse_wave(const char *why);

/* Notes that the wave is over for this rank. */
void sluice_mpi_wave_ends(void);
