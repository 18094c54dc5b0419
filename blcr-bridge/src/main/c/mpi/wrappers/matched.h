/* Messages found by MPI_Mprobe or MPI_Improbe, and not yet received by MPI_Mrecv or MPI_Imrecv. */
#pragma once

/* Returns how many there are. Their data is in memory of the layer that no image has. */
int sluice_mpi_matched(void);
