/*
 * Rank 0 broadcasts on a communicator and frees it. Rank 1 does so only when there is a file ./go. Between them and behind
 * that, until there is a file ./hurry, are only spots. With --free rank 1 is the first, and both disconnect it instead.
 */
#include "corpus.h"

#include <stdio.h>
#include <unistd.h>

enum { BEGUN, LEFT };

struct state {
    int phase;
    int value;
};

static MPI_Comm part;

static void pass_spots_until(const char *file)
{
    do {
        corpus_spot();
        usleep(10000);
    } while (access(file, F_OK) != 0);
}

static void leave(bool disconnect, int *value)
{
    if (disconnect) {
        MPI_Comm_disconnect(&part);
        return;
    }
    *value = 4711; /* at rank 0 */
    MPI_Bcast(value, 1, MPI_INT, 0, part);
    MPI_Comm_free(&part);
}

int main(int argc, char **argv)
{
    const struct corpus corpus = corpus_begin(&argc, &argv);
    struct state *state = corpus_protected(sizeof *state);
    MPI_Comm_dup(MPI_COMM_WORLD, &part);
    corpus_spot();
    if (state->phase == BEGUN) {
        if (corpus.rank == (corpus.free ? 0 : 1))
            pass_spots_until("go");
        else
            fclose(fopen("left", "w"));
        leave(corpus.free, &state->value);
        state->phase = LEFT;
    }
    pass_spots_until("hurry");
    corpus_end((uint64_t)state->value);
}
