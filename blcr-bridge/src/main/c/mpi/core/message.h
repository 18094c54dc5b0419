/* The messages of handles. */
#pragma once

#include "handle.h"

/*
 * Return the communicator of a message that is counted. NULL where MPI has to refuse, and for
 * MPI_PROC_NULL or a negative rank.
 */
struct sluice_mpi_comm *sluice_mpi_sends_of(int count, MPI_Datatype type, int dest, int tag,
                                            MPI_Comm comm);
struct sluice_mpi_comm *sluice_mpi_receives_of(int count, MPI_Datatype type, int source, int tag,
                                               MPI_Comm comm);

/*
 * Sends the message of a new handle, or of a persistent one that is started. Returns MPI's result.
 */
int sluice_mpi_send_start(struct sluice_mpi_handle *handle);

int sluice_mpi_receive_start(struct sluice_mpi_handle *handle);

/* Posts a receive with a narrower source and tag: for a drained message, or the library's. */
int sluice_mpi_post(struct sluice_mpi_handle *handle, int source, int tag);

/* Waits for the message, on the long way. */
void sluice_mpi_handle_await(struct sluice_mpi_handle *handle);
