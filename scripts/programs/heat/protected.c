/*
 * Heat spreading over a plate whose upper edge is kept hot, its rows shared out among the ranks. Three
 * lines are for checkpoints: two for its memory and one for the place.
 *
 *     protected [--size CELLS] [--steps N] [--result FILE]
 */
#include <fcntl.h>
#include <mpi.h>
#include <sluice_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
static long size = 1024, steps = 2000, rows;

static double *row(double *plate, long y)
{
    return plate + y * size;
}

/* Rows 0 and rows + 1 are the neighbours'. */
static void exchange(double *plate)
{
    const int above = rank == 0 ? MPI_PROC_NULL : rank - 1;
    const int below = rank + 1 == ranks ? MPI_PROC_NULL : rank + 1;
    MPI_Request requests[4];
    MPI_Irecv(row(plate, 0), (int)size, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(row(plate, rows + 1), (int)size, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(row(plate, 1), (int)size, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(row(plate, rows), (int)size, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void spread(double *plate, double *next)
{
    for (long y = 1; y <= rows; y++) {
        const double *here = row(plate, y), *above = here - size, *below = here + size;
        double *out = row(next, y);
        for (long x = 1; x < size - 1; x++)
            out[x] = 0.25 * (here[x - 1] + here[x + 1] + above[x] + below[x]);
    }
    memcpy(row(plate, 1), row(next, 1), (size_t)(rows * size) * sizeof *plate);
}

static void write_result(const char *file, const double *plate)
{
    const size_t bytes = (size_t)(rows * size) * sizeof *plate;
    const int out = open(file, O_CREAT | O_WRONLY, 0666);
    if (out < 0 || pwrite(out, plate + size, bytes, (off_t)bytes * rank) != (ssize_t)bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    close(out);
}

int main(int argc, char **argv)
{
    const char *result = NULL;
    long step = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--size") == 0)
            size = atol(argv[i + 1]);
        if (strcmp(argv[i], "--steps") == 0)
            steps = atol(argv[i + 1]);
        if (strcmp(argv[i], "--result") == 0)
            result = argv[i + 1];
    }
    rows = size / ranks;
    const size_t bytes = (size_t)((rows + 2) * size) * sizeof(double);
    double *plate = calloc(1, bytes), *next = calloc(1, bytes);
    if (rank == 0)
        for (long x = 0; x < size; x++)
            plate[x] = 100;

    sluice_protect(0, &step, sizeof step);
    sluice_protect(1, plate, bytes);
    for (; step < steps; step++) {
        sluice_potential_checkpoint();
        exchange(plate);
        spread(plate, next);
    }

    if (result != NULL)
        write_result(result, plate);
    free(plate);
    free(next);
    MPI_Finalize();
}
