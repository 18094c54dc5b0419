/* Files that ranks open together. */
#pragma once

#include <stdbool.h>

/* Returns whether this thread is in MPI_File_open(). Async-signal-safe. */
bool sluice_mpi_opening(void);
