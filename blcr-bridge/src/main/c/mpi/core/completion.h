/* How requests become complete: the library is asked, and what it has received is counted. */
#pragma once

#include <stdbool.h>

#include "handle.h"

/*
 * Asks the library whether it is complete, and counts what it received. Returns whether it is complete: an inactive
 * one is.
 */
bool sluice_mpi_handle_look(struct sluice_mpi_handle *handle);

/* The library says that it is complete, with this status. */
void sluice_mpi_handle_completed(struct sluice_mpi_handle *handle, const MPI_Status *status);

/* Asks the library which open requests and drained messages are complete. */
void sluice_mpi_look_at_all(void);
