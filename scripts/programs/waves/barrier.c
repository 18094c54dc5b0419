/*
 * A step is a barrier and an exchange. In a step out of four, with --free three, some ranks have
 * their spot before the barrier and others behind it, so that it straddles a line there. Ranks
 * cannot all stop at such a spot.
 */
#include "corpus.h"

struct state {
    int64_t phase; /* even: the barrier comes next, odd: the exchange */
    uint64_t value;
};

static struct corpus corpus;
static struct state *state;
static uint64_t *body;

static bool has_spot_here(void)
{
    const int64_t step = state->phase / 2;
    const bool straddles = corpus.free ? step % 4 != 0 : step % 4 == 1;
    const bool behind = straddles && corpus_mix((uint64_t)step, (uint64_t)corpus.rank, 0) % 2 == 1;
    return state->phase % 2 == (behind ? 1 : 0);
}

static void exchange(void)
{
    const int to = (corpus.rank + 1) % corpus.ranks;
    uint64_t *sent = body + corpus.size;
    MPI_Request send;
    for (int64_t i = 0; i < corpus.size; i++)
        sent[i] = corpus_mix(state->value, (uint64_t)i, (uint64_t)state->phase);
    MPI_Isend(sent, (int)corpus.size, MPI_UINT64_T, to, 1, MPI_COMM_WORLD, &send);
    MPI_Recv(body, (int)corpus.size, MPI_UINT64_T, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    state->value = corpus_hash(state->value, body, (size_t)corpus.size * sizeof *body);
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    state = corpus_protected(sizeof *state);
    body = corpus_protected(2 * (size_t)corpus.size * sizeof *body);
    state->value = (uint64_t)corpus.rank;
    corpus_spot();
    while (state->phase < 2 * corpus.steps) {
        corpus_pause();
        if (state->phase % 2 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        else
            exchange();
        state->phase++;
        if (has_spot_here())
            corpus_spot();
    }
    corpus_end(state->value);
}
