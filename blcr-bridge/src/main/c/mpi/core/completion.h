/* The completion of requests: the library is asked, and received messages are counted. */
#pragma once

#include <stdbool.h>

#include "handle.h"

/*
 * Asks the library about a request, and counts its received message. Returns whether it is
 * complete, as an inactive one always is.
 */
bool sluice_mpi_handle_look(struct sluice_mpi_handle *handle);

/* Notes that the library has completed a request, with this status. */
void sluice_mpi_handle_completed(struct sluice_mpi_handle *handle, const MPI_Status *status);

/* Asks the library about all open requests and drained messages. */
void sluice_mpi_look_at_all(void);
