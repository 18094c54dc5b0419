/*
 * A library that duplicates the communicator it is given, once, and receives from any source with any tag there,
 * while its caller has receives of any tag open on the original.
 */
#include "corpus.h"

struct state {
    int64_t step;
    int64_t posted;
    uint64_t value, came;
    MPI_Request any;
};

static struct corpus corpus;
static struct state *state;
static uint64_t *body;

/* ---- the library ---- */

static MPI_Comm library_of(MPI_Comm communicator)
{
    static int key = MPI_KEYVAL_INVALID;
    MPI_Comm *own;
    int found;
    if (key == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_get_attr(communicator, key, &own, &found);
    if (!found) {
        own = malloc(sizeof *own);
        MPI_Comm_dup(communicator, own);
        MPI_Comm_set_attr(communicator, key, own);
    }
    return *own;
}

/* The sum of what all members have, by messages to rank 0 and back. */
static uint64_t library_sum(MPI_Comm communicator, uint64_t here)
{
    const MPI_Comm own = library_of(communicator);
    int rank, ranks;
    uint64_t sum = here;
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &ranks);
    if (rank != 0) {
        MPI_Send(&here, 1, MPI_UINT64_T, 0, rank, own);
        MPI_Recv(&sum, 1, MPI_UINT64_T, 0, MPI_ANY_TAG, own, MPI_STATUS_IGNORE);
        return sum;
    }
    for (int i = 1; i < ranks; i++) {
        uint64_t value;
        MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, own, MPI_STATUS_IGNORE);
        sum += value;
    }
    MPI_Barrier(MPI_COMM_SELF);
    for (int i = 1; i < ranks; i++)
        MPI_Send(&sum, 1, MPI_UINT64_T, i, (int)(sum % 3), own);
    return sum;
}

/* ---- its caller ---- */

static void post(void)
{
    MPI_Irecv(body, (int)corpus.size, MPI_UINT64_T, (corpus.rank + 1) % corpus.ranks, MPI_ANY_TAG,
              MPI_COMM_WORLD, &state->any);
    state->posted = 1;
}

static void step(void)
{
    MPI_Request send;
    MPI_Status status;
    uint64_t *sent = body + corpus.size;
    for (int64_t i = 0; i < corpus.size; i++)
        sent[i] = corpus_mix(state->value, (uint64_t)i, 0);
    MPI_Isend(sent, (int)corpus.size, MPI_UINT64_T, (corpus.rank + corpus.ranks - 1) % corpus.ranks,
              (int)(state->value % 5), MPI_COMM_WORLD, &send);
    const uint64_t sum = library_sum(MPI_COMM_WORLD, state->value);
    corpus_pause();
    MPI_Wait(&state->any, &status);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    state->posted = 0;
    state->value =
        corpus_mix(sum, corpus_hash((uint64_t)status.MPI_TAG, body, (size_t)corpus.size * 8),
                   (uint64_t)corpus.rank);
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    state = corpus_protected(sizeof *state);
    body = corpus_protected(2 * (size_t)corpus.size * sizeof *body);
    state->value = (uint64_t)corpus.rank;
    library_sum(MPI_COMM_WORLD, 0); /* its setup, before the first spot */
    for (; state->step < corpus.steps; state->step++) {
        sluice_potential_checkpoint();
        if (!state->posted)
            post();
        step();
        if (state->step + 1 < corpus.steps)
            post();
    }
    corpus_end(state->value);
}
