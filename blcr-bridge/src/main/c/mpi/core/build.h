/* The build of the program that this process runs. */
#pragma once

#define SLUICE_MPI_BUILD 40 /* bytes */

/* Returns the identity of the build; different programs have different ones. */
const unsigned char *sluice_mpi_build(void);
