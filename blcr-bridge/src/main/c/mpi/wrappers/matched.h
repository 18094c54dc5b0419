/* Messages that MPI_Mprobe or MPI_Improbe has found and that MPI_Mrecv or MPI_Imrecv has not yet received. */
#pragma once

/* How many there are. Their data lies in memory of the layer that no image has. */
int sluice_mpi_matched(void);
