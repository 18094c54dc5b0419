/*
 * Has --size communicators, each with a message in each direction. Prints how long its steps took,
 * in milliseconds, and how long it took to free all.
 */
#include "corpus.h"

#include <stdio.h>

static MPI_Comm *comms;
static int64_t *step;

static void make(const struct corpus *corpus)
{
    comms = calloc((size_t)corpus->size, sizeof(MPI_Comm));
    corpus_check(comms != NULL, "no memory");
    for (int64_t i = 0; i < corpus->size; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
}

static void pass_on(const struct corpus *corpus)
{
    const int to = (corpus->rank + 1) % corpus->ranks;
    const int from = (corpus->rank + corpus->ranks - 1) % corpus->ranks;
    int64_t got;
    MPI_Sendrecv(step, 1, MPI_INT64_T, to, 1, &got, 1, MPI_INT64_T, from, 1,
                 comms[*step % corpus->size], MPI_STATUS_IGNORE);
    corpus_check(got == *step, "a message");
}

static void say(const struct corpus *corpus, const char *what, double began)
{
    if (corpus->rank == 0)
        printf("%s %.0f\n", what, (MPI_Wtime() - began) * 1e3);
}

int main(int argc, char **argv)
{
    const struct corpus corpus = corpus_begin(&argc, &argv);
    step = corpus_protected(sizeof *step);
    make(&corpus);
    double began = MPI_Wtime();
    for (; *step < corpus.steps; ++*step) {
        sluice_potential_checkpoint();
        pass_on(&corpus);
        corpus_pause();
    }
    say(&corpus, "steps", began);
    began = MPI_Wtime();
    for (int64_t i = 0; i < corpus.size; i++)
        MPI_Comm_free(&comms[i]);
    say(&corpus, "freed", began);
    corpus_end((uint64_t)*step);
}
