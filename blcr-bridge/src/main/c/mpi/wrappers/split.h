/* Collectives of files in two halves, such as MPI_File_write_all_begin and MPI_File_write_all_end. */
#pragma once

/* What MPI has returned; the same. */
int sluice_mpi_split_begin(int result);
int sluice_mpi_split_end(int result);

/* How many have begun and not ended. A restart would come to the second half alone. */
int sluice_mpi_splits(void);
