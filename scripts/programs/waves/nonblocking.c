/* Non-blocking collectives of a step are begun before its spot and end behind it. */
#include "corpus.h"

enum { OPEN = 4 };

struct state {
    int64_t step;
    int64_t begun;
    uint64_t value;
    MPI_Request open[OPEN];
};

static struct corpus corpus;
static struct state *state;
static uint64_t *given, *sums, *from_root, *mine, *all;

static void begin(void)
{
    const int size = (int)corpus.size, root = (int)(state->step % corpus.ranks);
    for (int i = 0; i < size; i++) {
        given[i] = corpus_mix(state->value, (uint64_t)i, (uint64_t)state->step);
        from_root[i] = corpus.rank == root ? given[i] : 0;
    }
    *mine = state->value;
    MPI_Iallreduce(given, sums, size, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &state->open[0]);
    MPI_Ibcast(from_root, size, MPI_UINT64_T, root, MPI_COMM_WORLD, &state->open[1]);
    MPI_Iallgather(mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, MPI_COMM_WORLD, &state->open[2]);
    MPI_Ibarrier(MPI_COMM_WORLD, &state->open[3]);
    state->begun = 1;
}

static void step(void)
{
    uint64_t hash;
    corpus_pause();
    for (int done = 0; done < OPEN;) {
        int n, which[OPEN];
        MPI_Waitsome(OPEN, state->open, &n, which, MPI_STATUSES_IGNORE);
        done += n;
    }
    state->begun = 0;
    hash = corpus_hash(1, sums, (size_t)corpus.size * sizeof *sums);
    hash = corpus_hash(hash, from_root, (size_t)corpus.size * sizeof *from_root);
    hash = corpus_hash(hash, all, (size_t)corpus.ranks * sizeof *all);
    state->value = corpus_mix(hash, state->value, (uint64_t)corpus.rank);
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    const size_t bytes = (size_t)corpus.size * sizeof(uint64_t);
    state = corpus_protected(sizeof *state);
    given = corpus_protected(bytes);
    sums = corpus_protected(bytes);
    from_root = corpus_protected(bytes);
    mine = corpus_protected(sizeof *mine);
    all = corpus_protected((size_t)corpus.ranks * sizeof *all);
    state->value = (uint64_t)corpus.rank;
    for (; state->step < corpus.steps; state->step++) {
        sluice_potential_checkpoint();
        if (!state->begun)
            begin();
        step();
        if (state->step + 1 < corpus.steps) {
            state->step++;
            begin();
            state->step--;
        }
    }
    corpus_end(state->value);
}
