/*
 * What C3 has to do with the program's calls while the rank is busy: it records them, or repeats what was recorded. What
 * struct sluice_mpi_calls says of each.
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

/* A collective that was open at the line: its result is in the record. */
void sluice_mpi_c3_answer_open(struct sluice_mpi_handle *handle);

/* Whether messages of a recovery are still to be sent from the layer's memory. */
bool sluice_mpi_c3_buffers(void);
