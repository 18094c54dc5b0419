/*
 * Has --size communicators, each with a message in each direction. Ends once there is a file
 * ./hurry, of which rank 0 tells the others. Prints how much processor time its steps took, in
 * milliseconds, and how much it took to free all.
 */
#include "corpus.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define AT_A_TIME 50

static MPI_Comm *comms;
static int64_t *step;

/* The number of steps, for which each rank has the word of the one before it. */
static int64_t *end;

/* Many at a time: a rank that waits for others rests. */
static void make(const struct corpus *corpus)
{
    comms = calloc((size_t)corpus->size, sizeof(MPI_Comm));
    corpus_check(comms != NULL, "no memory");
    for (int64_t i = 0; i < corpus->size;) {
        MPI_Request begun[AT_A_TIME];
        int count = 0;
        for (; count < AT_A_TIME && i < corpus->size; count++, i++)
            MPI_Comm_idup(MPI_COMM_WORLD, &comms[i], &begun[count]);
        MPI_Waitall(count, begun, MPI_STATUSES_IGNORE);
    }
}

static void pass_on(const struct corpus *corpus)
{
    const int to = (corpus->rank + 1) % corpus->ranks;
    const int from = (corpus->rank + corpus->ranks - 1) % corpus->ranks;
    const int64_t sent[] = {*step, *end};
    int64_t got[2];
    MPI_Sendrecv(sent, 2, MPI_INT64_T, to, 1, got, 2, MPI_INT64_T, from, 1,
                 comms[*step % corpus->size], MPI_STATUS_IGNORE);
    corpus_check(got[0] == *step, "a message");
    *end = got[1] < *end ? got[1] : *end;
}

/* All ranks know the end before they come to it: the word of it goes on by a rank in each step. */
static void look_for_end(const struct corpus *corpus)
{
    if (corpus->rank == 0 && *end == corpus->steps && access("hurry", F_OK) == 0
        && *step + corpus->ranks < *end) {
        *end = *step + corpus->ranks;
    }
}

static void say(const struct corpus *corpus, const char *what, clock_t began)
{
    if (corpus->rank == 0)
        printf("%s %ld\n", what, (long)((clock() - began) * 1000 / CLOCKS_PER_SEC));
}

int main(int argc, char **argv)
{
    const struct corpus corpus = corpus_begin(&argc, &argv);
    step = corpus_protected(sizeof *step);
    end = corpus_protected(sizeof *end);
    *end = corpus.steps;
    make(&corpus);
    clock_t began = clock();
    for (; *step < *end; ++*step) {
        sluice_potential_checkpoint();
        look_for_end(&corpus);
        pass_on(&corpus);
        corpus_pause();
    }
    say(&corpus, "steps", began);
    began = clock();
    for (int64_t i = 0; i < corpus.size; i++)
        MPI_Comm_free(&comms[i]);
    say(&corpus, "freed", began);
    corpus_end((uint64_t)*step);
}
