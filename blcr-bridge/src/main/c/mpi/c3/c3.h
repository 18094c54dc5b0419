/*
 * What C3 has to do with the program's calls while the rank is busy: it records them, or repeats what was recorded. What
 * struct sluice_mpi_calls says of each.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/protocol.h"

bool sluice_mpi_c3_sends(const struct sluice_mpi_comm *comm, int dest, int tag, int64_t number,
                         const void *buf, int count, MPI_Datatype type);
int sluice_mpi_c3_posts(struct sluice_mpi_handle *handle);
void sluice_mpi_c3_asks(const struct sluice_mpi_handle *handle, int source, int tag);
void sluice_mpi_c3_ended(const struct sluice_mpi_handle *handle);
void sluice_mpi_c3_drained(const struct sluice_mpi_drained *one, const MPI_Status *status);
void sluice_mpi_c3_gives(const struct sluice_mpi_drained *one,
                         const struct sluice_mpi_handle *handle);
void sluice_mpi_c3_completes(struct sluice_mpi_handle *const *handles, int count);
bool sluice_mpi_c3_answers(int count, struct sluice_mpi_handle **handles, enum sluice_mpi_how how);
int sluice_mpi_c3_probes(struct sluice_mpi_comm *comm, bool waits, int *flag, MPI_Status *status);
void sluice_mpi_c3_probed(struct sluice_mpi_comm *comm, const MPI_Status *found);
bool sluice_mpi_c3_enters(struct sluice_mpi_comm *comm,
                          const struct sluice_mpi_collective *collective, int64_t number,
                          struct sluice_mpi_handle *handle);
void sluice_mpi_c3_left(struct sluice_mpi_comm *comm,
                        const struct sluice_mpi_collective *collective);

/* A collective that was open at the line: its result is in the record. */
void sluice_mpi_c3_answer_open(struct sluice_mpi_handle *handle);

/* A recovery ends where nothing of it is left. */
void sluice_mpi_c3_look_whether_over(void);

/* Whether messages of a recovery are still to be sent from the layer's memory. */
bool sluice_mpi_c3_buffers(void);
