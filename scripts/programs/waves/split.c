/* Rows, columns and a mirror of the world: the same tags and ranks mean other messages in each of them. */
#include "corpus.h"

struct state {
    int64_t step;
    uint64_t value;
};

static struct corpus corpus;
static struct state *state;
static uint64_t *data; /* size, from the row's root */
static MPI_Comm row, column, mirror;

static uint64_t swap(MPI_Comm communicator)
{
    int rank, ranks;
    uint64_t sent = state->value, got = 0;
    MPI_Request request;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &ranks);
    MPI_Irecv(&got, 1, MPI_UINT64_T, (rank + ranks - 1) % ranks, 4, communicator, &request);
    MPI_Send(&sent, 1, MPI_UINT64_T, (rank + 1) % ranks, 4, communicator);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return corpus_mix(got, (uint64_t)rank, (uint64_t)ranks);
}

static void step(void)
{
    int ranks;
    uint64_t sum, here = state->value % 1000;
    MPI_Comm_size(row, &ranks);
    for (int64_t i = 0; i < corpus.size; i++)
        data[i] = corpus_mix(state->value, (uint64_t)i, (uint64_t)state->step);
    MPI_Bcast(data, (int)corpus.size, MPI_UINT64_T, (int)(state->step % ranks), row);
    corpus_pause();
    MPI_Allreduce(&here, &sum, 1, MPI_UINT64_T, MPI_SUM, column);
    const uint64_t from_row = swap(row), from_mirror = swap(mirror),
                   from_world = swap(MPI_COMM_WORLD);
    state->value = corpus_mix(from_row, from_mirror, from_world);
    state->value = corpus_mix(state->value, sum, corpus_hash(1, data, (size_t)corpus.size * 8));
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    state = corpus_protected(sizeof *state);
    data = corpus_protected((size_t)corpus.size * sizeof *data);
    state->value = (uint64_t)corpus.rank;
    MPI_Comm_split(MPI_COMM_WORLD, corpus.rank / 2, corpus.rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, corpus.rank % 2, corpus.rank, &column);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -corpus.rank, &mirror);
    for (; state->step < corpus.steps; state->step++) {
        sluice_potential_checkpoint();
        step();
    }
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Comm_free(&mirror);
    corpus_end(state->value);
}
