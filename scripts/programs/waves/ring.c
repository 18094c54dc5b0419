/* Sendrecv round a ring and along a chain with ends, and Sendrecv_replace. */
#include "corpus.h"

static struct corpus corpus;
static int64_t *at;
static uint64_t *here, *there;

static void step(void)
{
    const int size = (int)corpus.size, ranks = corpus.ranks;
    const int left = (corpus.rank + ranks - 1) % ranks, right = (corpus.rank + 1) % ranks;
    const int before = corpus.rank == 0 ? MPI_PROC_NULL : left;
    const int after = right == 0 ? MPI_PROC_NULL : right;
    MPI_Sendrecv(here, size, MPI_UINT64_T, right, 1, there, size, MPI_UINT64_T, left, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    corpus_pause();
    for (int i = 0; i < size; i++)
        here[i] = corpus_mix(here[i], there[i], (uint64_t)*at);
    MPI_Sendrecv(here, size, MPI_UINT64_T, before, 2, there, size, MPI_UINT64_T, after, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(there, size, MPI_UINT64_T, left, 3, right, MPI_ANY_TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        here[i] = corpus_mix(here[i], there[i], 5);
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    at = corpus_protected(sizeof *at);
    here = corpus_protected((size_t)corpus.size * sizeof *here);
    there = corpus_protected((size_t)corpus.size * sizeof *there);
    for (int64_t i = 0; i < corpus.size; i++)
        here[i] = corpus_mix((uint64_t)corpus.rank, (uint64_t)i, 3);
    for (; *at < corpus.steps; ++*at) {
        sluice_potential_checkpoint();
        step();
    }
    corpus_end(corpus_hash(1, here, (size_t)corpus.size * sizeof *here));
}
