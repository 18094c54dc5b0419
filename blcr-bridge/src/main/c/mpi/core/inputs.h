/* What this rank gives to a collective. */
#pragma once

#include <stdint.h>

#include "wrappers/collective.h"

/* The caller frees. */
struct sluice_mpi_piece *sluice_mpi_inputs_of(const struct sluice_mpi_collective *collective,
                                              int *count);

/* A check of all its bytes. */
uint32_t sluice_mpi_inputs_check(const struct sluice_mpi_collective *collective);
