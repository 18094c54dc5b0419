/*
 * The calls of the program under C3 while the rank is busy: C3 records them, or repeats recorded
 * ones. struct sluice_mpi_calls describes each.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/protocol.h"

extern const struct sluice_mpi_calls sluice_mpi_c3_calls;

bool sluice_mpi_c3_enters(struct sluice_mpi_comm *comm,
                          const struct sluice_mpi_collective *collective, int64_t number,
                          struct sluice_mpi_handle *handle);
void sluice_mpi_c3_left(struct sluice_mpi_comm *comm,
                        const struct sluice_mpi_collective *collective);

/* Gives a collective that was open at the line its result from the record. */
void sluice_mpi_c3_answer_open(struct sluice_mpi_handle *handle);

/* Returns whether messages of a recovery are still to be sent from the layer's memory. */
bool sluice_mpi_c3_buffers(void);
