/* Which build of the program this process runs. */
#pragma once

#define SLUICE_MPI_BUILD 40 /* bytes */

/* They differ where the program does. */
const unsigned char *sluice_mpi_build(void);
