/*
 * Half of a message's way there and back, for some lengths: prints BYTES MICROSECONDS lines. pingpong [SECONDS]: of each
 * length, long enough for some waves. pingpong SECONDS slices: prints BYTES MICROSECONDS DIRECT lines. They are
 * medians of short slices by the functions that the program is linked to, and by MPI's own in turn.
 */
#include "corpus.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef OPEN_MPI
#define LIBRARY "libmpi.so.40"
#else
#define LIBRARY "libmpich.so.12"
#endif

#define FIRST 200    /* turns that say how many take so long */
#define SLICE 300e-6 /* seconds: others seldom get the core in it */

struct calls {
    __typeof__(MPI_Send) *send;
    __typeof__(MPI_Recv) *receive;
};

static struct corpus corpus;
static char *data;

static double half_way(const struct calls *calls, int bytes, int turns)
{
    const double begun = MPI_Wtime();
    for (int turn = 0; turn < turns; turn++) {
        if (corpus.rank == 0) {
            calls->send(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            calls->receive(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (corpus.rank == 1) {
            calls->receive(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            calls->send(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - begun) / turns / 2;
}

/* Returns rank 0's answer, since all have to do the same. */
static int turns_of(double seconds, double half_way)
{
    int turns = (int)(seconds / half_way / 2) + 1;
    MPI_Bcast(&turns, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return turns;
}

/* A spot is as far from the next one as in a program that computes. */
static double whole(const struct calls *linked, int bytes, double seconds)
{
    const int turns = turns_of(SLICE, half_way(linked, bytes, FIRST));
    const int slices = turns_of(seconds, SLICE / 2);
    double sum = 0;
    for (int slice = 0; slice < slices; slice++) {
        const double begun = MPI_Wtime();
        sluice_potential_checkpoint();
        half_way(linked, bytes, turns);
        sum += MPI_Wtime() - begun;
    }
    return sum / slices / turns / 2;
}

static int by_value(const void *a, const void *b)
{
    const double one = *(const double *)a;
    const double other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static double median(double *values, int count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

static void in_slices(const struct calls *linked, int bytes, double seconds)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
    corpus_check(library != NULL, LIBRARY);
    const struct calls direct = {(__typeof__(MPI_Send) *)dlsym(library, "PMPI_Send"),
                                 (__typeof__(MPI_Recv) *)dlsym(library, "PMPI_Recv")};
    const int turns = turns_of(SLICE, half_way(linked, bytes, FIRST));
    const int slices = turns_of(seconds, SLICE);
    double *took[2] = {malloc(slices * sizeof(double)), malloc(slices * sizeof(double))};
    for (int slice = 0; slice < slices; slice++) {
        took[0][slice] = half_way(linked, bytes, turns);
        took[1][slice] = half_way(&direct, bytes, turns);
    }
    if (corpus.rank == 0) {
        printf("%d %.4f %.4f\n", bytes, median(took[0], slices) * 1e6,
               median(took[1], slices) * 1e6);
    }
    free(took[0]);
    free(took[1]);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {8, 1024, 65536, 1048576};
    const struct calls linked = {MPI_Send, MPI_Recv};
    corpus = corpus_begin(&argc, &argv);
    const double seconds = argc > 1 ? atof(argv[1]) : 3;
    data = corpus_protected(1048576);
    for (int i = 0; i < 4; i++) {
        if (argc > 2) {
            in_slices(&linked, lengths[i], seconds);
            continue;
        }
        const double took = whole(&linked, lengths[i], seconds);
        if (corpus.rank == 0)
            printf("%d %.3f\n", lengths[i], took * 1e6);
    }
    fflush(stdout);
    MPI_Finalize();
}
