/* Programs that load MPI while they run. */
#pragma once

/* The linker's own dlopen(). */
void *sluice_mpi_dlopen(const char *file, int mode);
