/* How a protocol takes the state of its rank for a wave. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "state.h"

/*
 * Begins this rank's checkpoint, and takes its state at a spot: how many bytes. Negative: that failed, and the wave is
 * refused.
 */
int64_t sluice_mpi_take_state(const struct sluice_mpi_place *place);

/* Whether the state is in its image. Where it never will be the wave is refused. */
bool sluice_mpi_state_is_taken(void);

/* The marker of this rank, as the coordinator takes it. */
void sluice_mpi_put_marker(struct sluice_mpi_bytes *bytes);
