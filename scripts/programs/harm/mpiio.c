/* Each rank's blocks of one shared file, by collective calls of MPI-IO. Prints when it began and when it ended. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK (1 << 20)

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int blocks = argc == 3 ? atoi(argv[2]) : 0;
    char *data = calloc(1, BLOCK);
    MPI_File file;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    if (data == NULL
        || MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                         &file)
            != MPI_SUCCESS) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    for (int block = 0; block < blocks; block++) {
        const MPI_Offset offset = ((MPI_Offset)block * ranks + rank) * BLOCK;
        MPI_File_write_at_all(file, offset, data, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%f %f\n", began, MPI_Wtime());
    MPI_Finalize();
    return EXIT_SUCCESS;
}
