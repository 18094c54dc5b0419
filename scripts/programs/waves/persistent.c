/* Persistent requests, made before the first spot; the receives of a step are started before its spot. */
#include "corpus.h"

struct state {
    int64_t step;
    int64_t started;
};

static struct corpus corpus;
static struct state *state;
static uint64_t *in, *out; /* two messages of each */
static MPI_Request receives[2], sends[2];

static void make_requests(void)
{
    const int size = (int)corpus.size, ranks = corpus.ranks;
    for (int side = 0; side < 2; side++) {
        const int to = (corpus.rank + (side == 0 ? 1 : ranks - 1)) % ranks;
        const int from = (corpus.rank + (side == 0 ? ranks - 1 : 1)) % ranks;
        MPI_Recv_init(in + side * size, size, MPI_UINT64_T, from, side, MPI_COMM_WORLD,
                      &receives[side]);
        MPI_Send_init(out + side * size, size, MPI_UINT64_T, to, side, MPI_COMM_WORLD,
                      &sends[side]);
    }
}

static void step(void)
{
    MPI_Startall(2, sends);
    corpus_pause();
    MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    for (int64_t i = 0; i < corpus.size; i++) {
        out[i] = corpus_mix(out[i], in[i], (uint64_t)state->step);
        out[corpus.size + i] = corpus_mix(out[corpus.size + i], in[corpus.size + i], 1);
    }
    state->started = 0;
}

static void start(void)
{
    MPI_Start(&receives[0]);
    MPI_Start(&receives[1]);
    state->started = 1;
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    state = corpus_protected(sizeof *state);
    in = corpus_protected(2 * (size_t)corpus.size * sizeof *in);
    out = corpus_protected(2 * (size_t)corpus.size * sizeof *out);
    for (int64_t i = 0; i < 2 * corpus.size; i++)
        out[i] = corpus_mix((uint64_t)corpus.rank, (uint64_t)i, 4);
    make_requests();
    for (; state->step < corpus.steps; state->step++) {
        sluice_potential_checkpoint();
        if (!state->started)
            start();
        step();
        if (state->step + 1 < corpus.steps)
            start();
    }
    for (int side = 0; side < 2; side++) {
        MPI_Request_free(&receives[side]);
        MPI_Request_free(&sends[side]);
    }
    corpus_end(corpus_hash(1, out, 2 * (size_t)corpus.size * sizeof *out));
}
