/* The taking of a rank's state for a wave, by any protocol. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "state.h"

/*
 * Begins this rank's checkpoint, and takes its state at a spot. Returns its bytes. Negative: that
 * failed, and the wave is refused.
 */
int64_t sluice_mpi_take_state(const struct sluice_mpi_place *place);

/* Returns whether the state is in its image. If it never will be, the wave is refused. */
bool sluice_mpi_state_is_taken(void);

/* Puts the marker of this rank, as the coordinator reads it. */
void sluice_mpi_put_marker(struct sluice_mpi_bytes *bytes);
