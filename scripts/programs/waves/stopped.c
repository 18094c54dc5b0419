/*
 * Heat on a plate, for as many steps as it is told. With --stop DIR it does by itself what most programs do:
 * every --every milliseconds all ranks stop, each writes its rows into a file of its own, and all go on when all are
 * durable. Prints what that cost.
 */
#include "corpus.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

static int rank, ranks;
static long size = 2048, steps = 1000, rows, every;
static const char *directory;
static double held, last;
static int checkpoints;

static void read_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"size", required_argument, NULL, 'z'},
        {"steps", required_argument, NULL, 's'},
        {"every", required_argument, NULL, 'e'},
        {"stop", required_argument, NULL, 'd'},
        {NULL, 0, NULL, 0},
    };
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        if (option == 'z')
            size = atol(optarg);
        else if (option == 's')
            steps = atol(optarg);
        else if (option == 'e')
            every = atol(optarg);
        else if (option == 'd')
            directory = optarg;
}

static void exchange(double *plate)
{
    const int above = rank == 0 ? MPI_PROC_NULL : rank - 1;
    const int below = rank + 1 == ranks ? MPI_PROC_NULL : rank + 1;
    MPI_Sendrecv(plate + size, (int)size, MPI_DOUBLE, above, 1, plate + (rows + 1) * size,
                 (int)size, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(plate + rows * size, (int)size, MPI_DOUBLE, below, 2, plate, (int)size, MPI_DOUBLE,
                 above, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void spread(double *plate)
{
    for (long y = 1; y <= rows; y++) {
        double *here = plate + y * size;
        const double *above = here - size, *below = here + size;
        for (long x = 1; x < size - 1; x++)
            here[x] = 0.25 * (here[x - 1] + here[x + 1] + above[x] + below[x]);
    }
}

static void write_rows(const double *plate)
{
    char path[4096];
    const size_t bytes = (size_t)((rows + 2) * size) * sizeof *plate;
    snprintf(path, sizeof path, "%s/rank-%d-%d", directory, rank, checkpoints % 2);
    const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = write(file, (const char *)plate + done, bytes - done);
        corpus_check(n > 0, "write");
        done += (size_t)n;
    }
    corpus_check(fsync(file) == 0 && close(file) == 0, "fsync");
}

static void stop_and_write(const double *plate)
{
    int due = MPI_Wtime() - last >= (double)every / 1000;
    MPI_Bcast(&due, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!due)
        return;
    const double begun = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    write_rows(plate);
    MPI_Barrier(MPI_COMM_WORLD);
    last = MPI_Wtime();
    held += last - begun;
    checkpoints++;
}

int main(int argc, char **argv)
{
    int64_t *step;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_options(argc, argv);
    rows = size / ranks;
    step = corpus_protected(sizeof *step);
    double *plate = corpus_protected((size_t)((rows + 2) * size) * sizeof *plate);
    for (long x = 0; rank == 0 && x < size; x++)
        plate[x] = 100;
    const double begun = last = MPI_Wtime();
    for (; *step < steps; ++*step) {
        sluice_potential_checkpoint();
        if (directory != NULL)
            stop_and_write(plate);
        exchange(plate);
        spread(plate);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seconds %.3f checkpoints %d held %.6f\n", MPI_Wtime() - begun, checkpoints,
               checkpoints == 0 ? 0 : held / checkpoints);
    }
    fflush(stdout);
    MPI_Finalize();
}
