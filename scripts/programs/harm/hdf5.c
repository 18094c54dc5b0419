/* A row of a dataset for each rank, by parallel HDF5, in several steps. Prints when it began and when it ended. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS (1 << 17) /* doubles: 1 MiB a row */

static void write_step(hid_t file, int step, int rank, int ranks, const double *row)
{
    char name[32];
    const hsize_t all[2] = {(hsize_t)ranks, COLUMNS}, own[2] = {1, COLUMNS};
    const hsize_t start[2] = {(hsize_t)rank, 0};
    const hid_t space = H5Screate_simple(2, all, NULL), memory = H5Screate_simple(2, own, NULL);
    const hid_t collective = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(collective, H5FD_MPIO_COLLECTIVE);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, own, NULL);
    snprintf(name, sizeof name, "step%d", step);
    const hid_t set =
        H5Dcreate(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set < 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, collective, row) < 0)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    H5Dclose(set);
    H5Pclose(collective);
    H5Sclose(memory);
    H5Sclose(space);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int steps = argc == 3 ? atoi(argv[2]) : 0;
    double *row = calloc(COLUMNS, sizeof *row);
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
    for (int step = 0; step < steps; step++)
        write_step(file, step, rank, ranks, row);
    H5Fclose(file);
    H5Pclose(access);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%f %f\n", began, MPI_Wtime());
    MPI_Finalize();
    return EXIT_SUCCESS;
}
