/*
 * The lower and the upper half of the ranks, and collectives between both. A rank of the root's
 * group that is not the root passes no arrays. The gather is open across spots. Only Pcl carries
 * such communicators.
 */
#include "corpus.h"

struct state {
    int64_t step;
    uint64_t hash;
    MPI_Request gathering;
};

static struct corpus corpus;
static struct state *state;
static uint64_t *in, *out; /* ranks * size */
static int *counts, *places;
static MPI_Comm between;
static int rank, members, others;
static bool upper;

static void divide(void)
{
    MPI_Comm half;
    const int middle = corpus.ranks / 2;
    upper = corpus.rank >= middle;
    MPI_Comm_split(MPI_COMM_WORLD, upper, corpus.rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : middle, 5, &between);
    MPI_Comm_rank(between, &rank);
    MPI_Comm_size(between, &members);
    MPI_Comm_remote_size(between, &others);
    MPI_Comm_free(&half);
}

static void fold(const uint64_t *data, int elements)
{
    state->hash = corpus_hash(state->hash, data, (size_t)elements * sizeof *data);
}

/* Each step has another root, in the groups by turns. */
static int root_of(int64_t step)
{
    const bool mine = upper == (step % 2 != 0);
    const int root = (int)(step / 2 % (mine ? members : others));
    return !mine ? root : root == rank ? MPI_ROOT : MPI_PROC_NULL;
}

static int part(int64_t step, int of)
{
    return (int)((step + of) % corpus.size) + 1;
}

static void lay_out(int64_t step)
{
    for (int of = 0, at = 0; of < others; at += counts[of++]) {
        counts[of] = part(step, of);
        places[of] = at;
    }
}

static void end_gathering(void)
{
    const int root = root_of(state->step - 1);
    MPI_Wait(&state->gathering, MPI_STATUS_IGNORE);
    lay_out(state->step - 1);
    if (root == MPI_ROOT)
        fold(out, places[others - 1] + counts[others - 1]);
}

static void gather(int root)
{
    if (root == MPI_ROOT) {
        MPI_Igatherv(NULL, 0, MPI_UINT64_T, out, counts, places, MPI_UINT64_T, root, between,
                     &state->gathering);
    } else {
        MPI_Igatherv(in, root < 0 ? 0 : part(state->step, rank), MPI_UINT64_T, NULL, NULL, NULL,
                     MPI_UINT64_T, root, between, &state->gathering);
    }
}

static void scatter(int root)
{
    const int mine = part(state->step, rank);
    if (root == MPI_ROOT) {
        MPI_Scatterv(in, counts, places, MPI_UINT64_T, NULL, 0, MPI_UINT64_T, root, between);
    } else {
        MPI_Scatterv(NULL, NULL, NULL, MPI_UINT64_T, out, root < 0 ? 0 : mine, MPI_UINT64_T, root,
                     between);
    }
    if (root >= 0)
        fold(out, mine);
}

static void step(void)
{
    const int root = root_of(state->step);
    uint64_t told = state->hash;
    if (state->step > 0)
        end_gathering();
    for (int i = 0; i < (int)corpus.size * corpus.ranks; i++)
        in[i] = corpus_mix(state->hash, (uint64_t)i, (uint64_t)state->step);
    lay_out(state->step);
    scatter(root);
    MPI_Reduce_scatter_block(in, out, others, MPI_UINT64_T, MPI_BXOR, between);
    fold(out, others);
    MPI_Bcast(&told, 1, MPI_UINT64_T, root, between);
    fold(&told, 1);
    corpus_pause();
    gather(root);
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    const size_t ranks = (size_t)corpus.ranks;
    state = corpus_protected(sizeof *state);
    in = corpus_protected(ranks * (size_t)corpus.size * sizeof *in);
    out = corpus_protected(ranks * (size_t)corpus.size * sizeof *out);
    counts = corpus_protected(ranks * sizeof *counts);
    places = corpus_protected(ranks * sizeof *places);
    divide();
    state->hash = (uint64_t)corpus.rank;
    state->gathering = MPI_REQUEST_NULL;
    for (; state->step < corpus.steps; state->step++) {
        sluice_potential_checkpoint();
        step();
    }
    end_gathering();
    MPI_Comm_free(&between);
    corpus_end(state->hash);
}
