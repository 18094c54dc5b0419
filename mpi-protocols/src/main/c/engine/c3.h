/*
 * What C3 has to do with the program's calls while the rank is busy: it records them, or repeats what was recorded.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "handle.h"

/* A message is sent. Returns whether that is done: the receiver has it, or the layer keeps its data. */
bool sluice_mpi_c3_sends(const struct sluice_mpi_comm *comm, int dest, int tag, int64_t number,
                         const void *buf, int count, MPI_Datatype type);

/* A receive is posted. Returns whether it is complete: the record has what it took. */
bool sluice_mpi_c3_posts(struct sluice_mpi_handle *handle);

/* The program is told that these are complete; in a recovery it was. */
void sluice_mpi_c3_completes(struct sluice_mpi_handle *const *handles, int count);

/* Whether a recovery answers the call: then what it had answered is complete, and nothing else. */
bool sluice_mpi_c3_answers(int count, struct sluice_mpi_handle **handles, enum sluice_mpi_how how);

/* A recovery's answer to a probe: what MPI returns, or -1: it has none. */
int sluice_mpi_c3_probes(struct sluice_mpi_comm *comm, int source, int tag, int *flag,
                         MPI_Status *status);

/* A probe has found this, or nothing. */
void sluice_mpi_c3_probed(struct sluice_mpi_comm *comm, const MPI_Status *found);

/* A collective is entered. Returns whether that is done: the record has its result. `handle`: NULL where it blocks. */
bool sluice_mpi_c3_enters(struct sluice_mpi_comm *comm,
                          const struct sluice_mpi_collective *collective, int64_t number,
                          struct sluice_mpi_handle *handle);

/* One that blocks is over. */
void sluice_mpi_c3_left(struct sluice_mpi_comm *comm,
                        const struct sluice_mpi_collective *collective);

/* A communicator is made. */
void sluice_mpi_c3_makes(void);
