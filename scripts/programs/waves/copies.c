/*
 * Begins a copy of a communicator, and another collective of it before the copy is made. Some ranks pass spots between the two,
 * others none. Open MPI 4.1 gives both the same number where a rank looks for messages there, as progress.h of the layer has it.
 */
#include "corpus.h"

#include <unistd.h>

#define COPIES 5
#define SPOTS 100

static void pass_spots(const struct corpus *corpus)
{
    for (int spot = 0; spot < SPOTS; spot++) {
        if (corpus->rank % 2 == 1)
            corpus_spot();
        usleep(1000);
    }
}

static int sum_beside_copy(const struct corpus *corpus, MPI_Comm parent)
{
    MPI_Comm copy;
    MPI_Request requests[2];
    const int mine = corpus->rank + 1;
    int sum;
    MPI_Comm_idup(parent, &copy, &requests[0]);
    pass_spots(corpus);
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, parent, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&copy);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    const struct corpus corpus = corpus_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    for (int copy = 0; copy < COPIES; copy++) {
        corpus_spot();
        corpus_check(sum_beside_copy(&corpus, parent) == corpus.ranks * (corpus.ranks + 1) / 2,
                     "a collective beside a copy");
    }
    MPI_Comm_free(&parent);
    corpus_end(0);
}
