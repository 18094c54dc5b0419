/*
 * Collectives of files in two halves, such as MPI_File_write_all_begin and MPI_File_write_all_end.
 */
#pragma once

/* Note a first or second half. Each returns `result`, MPI's own. */
int sluice_mpi_split_begin(int result);
int sluice_mpi_split_end(int result);

/* Returns how many have begun and not ended. A restart would come to the second half alone. */
int sluice_mpi_splits(void);
