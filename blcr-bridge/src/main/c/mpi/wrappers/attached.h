/*
 * The buffer of MPI_Bsend, which a restart has only if the program attaches it before the first
 * spot.
 */
#pragma once

/* Note an attached or detached buffer. Each returns `result`, MPI's own. */
int sluice_mpi_buffer_attached(int result);
int sluice_mpi_buffer_detached(int result);

/* Returns why a restart has another buffer than the program; NULL: it has the same. */
const char *sluice_mpi_buffer_unlike_first(void);
