/*
 * Rank 1 makes a communicator with rank 0 by MPI_Comm_create_group, or with --free by MPI_Intercomm_create, when there is a file
 * ./enter, and looks for messages before. Rank 0 passes spots until there is a file ./go, and comes then.
 */
#include "corpus.h"

#include <unistd.h>

#define TAG 7

static MPI_Comm of_two(void)
{
    MPI_Comm made;
    MPI_Group all;
    MPI_Group two;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, (int[]){0, 1}, &two);
    MPI_Comm_create_group(MPI_COMM_WORLD, two, TAG, &made);
    MPI_Group_free(&two);
    MPI_Group_free(&all);
    return made;
}

static MPI_Comm between(int other)
{
    MPI_Comm made;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, other, TAG, &made);
    return made;
}

int main(int argc, char **argv)
{
    const struct corpus corpus = corpus_begin(&argc, &argv);
    const int mine = corpus.rank + 1;
    int sum = 0;
    corpus_spot();
    while (access(corpus.rank == 0 ? "go" : "enter", F_OK) != 0) {
        if (corpus.rank == 0)
            corpus_spot();
        else
            MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &sum, MPI_STATUS_IGNORE);
        usleep(10000);
    }
    MPI_Comm made = corpus.free ? between(1 - corpus.rank) : of_two();
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, made);
    MPI_Comm_free(&made);
    corpus_end((uint64_t)sum);
}
