/*
 * Memory that a program forgets to protect. --do says where the loss shows: in a message, in
 * protected memory, in the number of calls, or in a step that never ends. Without --do nothing is
 * forgotten.
 */
#include "corpus.h"

#include <unistd.h>

struct state {
    int64_t step;
    int64_t sum;
    int64_t turn; /* the right value of the static one */
    char many[100000];
};

static struct corpus corpus;
static struct state *state;
static int64_t turn; /* as a SAVE local of Fortran, or a static one of C: a restart lacks it */
static const char *where = "";

static bool shows(const char *what)
{
    return strcmp(where, what) == 0;
}

static int64_t pass_on(int64_t number)
{
    const int right = (corpus.rank + 1) % corpus.ranks;
    const int left = (corpus.rank + corpus.ranks - 1) % corpus.ranks;
    int64_t got;
    MPI_Sendrecv(&number, 1, MPI_INT64_T, right, 4, &got, 1, MPI_INT64_T, left, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return got;
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--do") == 0)
            where = argv[i + 1];
    corpus = corpus_begin(&argc, &argv);
    state = corpus_protected(sizeof *state);
    for (; state->step < corpus.steps; state->step++) {
        sluice_potential_checkpoint();
        turn++;
        state->turn++;
        corpus_pause();
        state->sum += pass_on(shows("message") ? turn : state->step);
        if (shows("memory"))
            state->many[sizeof state->many / 2] = (char)turn;
        if (shows("calls") && turn != state->turn)
            MPI_Barrier(MPI_COMM_WORLD);
        while (shows("endless") && turn != state->turn)
            pass_on(0);
        while (shows("idle") && turn != state->turn)
            usleep(1000);
    }
    corpus_end((uint64_t)state->sum);
}
