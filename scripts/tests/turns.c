/* turns DIRECTORY: ranks write one file in turn, with a barrier between, and each reads what the one before has left. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 21, NUMBERS = 1000 };

static char path[4096];

/* Adds a rank's numbers, and writes over the last of those before. */
static long take_turn(long before, int rank)
{
    FILE *file = fopen(path, before == 0 ? "w" : "r+");
    long number, sum = 0;
    for (long i = 0; file && i < before && fscanf(file, "%ld", &number) == 1; i++)
        sum += number;
    if (!file || fseek(file, before == 0 ? 0 : -8, SEEK_END) != 0)
        return -1;
    for (int i = before == 0; i <= NUMBERS; i++)
        fprintf(file, "%07d\n", rank * NUMBERS + i);
    return fclose(file) == 0 ? sum : -1;
}

static void write_own(const char *directory, int rank)
{
    char own[4200];
    snprintf(own, sizeof own, "%s/rank-%d.ckpt", directory, rank);
    FILE *file = fopen(own, "w");
    for (int i = 0; file && i < NUMBERS; i++)
        fprintf(file, "%d %d\n", rank, i);
    if (!file || fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(path, sizeof path, "%s/all.ckpt", argv[1]);
    for (long turn = 0; turn < TURNS; turn++) {
        const int writer = (int)(turn % ranks);
        const long sum = rank == writer ? take_turn(turn * NUMBERS, rank) : 0;
        if (rank == writer)
            printf("turn %ld read %ld\n", turn, sum);
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    write_own(argv[1], rank);
    MPI_Finalize();
    return 0;
}
