/* The inputs of a collective from this rank. */
#pragma once

#include <stdint.h>

#include "wrappers/collective.h"

/* Returns the pieces of the inputs; the caller frees the array. */
struct sluice_mpi_piece *sluice_mpi_inputs_of(const struct sluice_mpi_collective *collective,
                                              int *count);

/* Returns a checksum of all bytes of the inputs. */
uint32_t sluice_mpi_inputs_check(const struct sluice_mpi_collective *collective);
