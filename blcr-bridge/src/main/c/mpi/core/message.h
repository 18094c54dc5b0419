/* Messages that a handle stands for. */
#pragma once

#include "handle.h"

/*
 * The communicator of a message that is counted. NULL where MPI is to say what is wrong, and of a send to MPI_PROC_NULL
 * or a negative rank.
 */
struct sluice_mpi_comm *sluice_mpi_sends_of(int count, MPI_Datatype type, int dest, int tag,
                                            MPI_Comm comm);
struct sluice_mpi_comm *sluice_mpi_receives_of(int count, MPI_Datatype type, int source, int tag,
                                               MPI_Comm comm);

/* Sends the message of a handle that is new, or persistent and started: what MPI returns. */
int sluice_mpi_send_start(struct sluice_mpi_handle *handle);

/* Posts its receive. */
int sluice_mpi_receive_start(struct sluice_mpi_handle *handle);

/* The same for a narrower source and tag: a drained message, or the library's. */
int sluice_mpi_post(struct sluice_mpi_handle *handle, int source, int tag);

/* Waits for it, on the long way. */
void sluice_mpi_handle_await(struct sluice_mpi_handle *handle);
