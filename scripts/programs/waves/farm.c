/*
 * Rank 0 gives out work in the order in which the others ask, and each answer depends on that order. In the
 * end it checks what they got against the order it remembers.
 */
#include "corpus.h"

struct state {
    int64_t round;
    int64_t given;
    uint64_t chain; /* of rank 0: all orders so far; of another: all answers */
};

struct answer {
    uint64_t work;
    int64_t over;
    uint64_t chain;
};

static struct corpus corpus;
static struct state *state;
static int32_t *order; /* of rank 0: who got the n-th piece */
static uint64_t *body; /* sent with a question, to give it a size */

static int64_t pieces(void)
{
    return corpus.steps * (corpus.ranks - 1);
}

static struct answer give(int64_t piece, int source, uint64_t *chain)
{
    *chain = corpus_mix(*chain, (uint64_t)source, (uint64_t)piece);
    return (struct answer){.work = (uint64_t)piece, .chain = *chain};
}

/* Without --free only questions of this round are heard, so all ranks pass as many spots. */
static int tag(void)
{
    return corpus.free ? 0 : (int)(state->round % 2);
}

static void answer_one(void)
{
    MPI_Status status;
    struct answer answer = {.over = 1};
    MPI_Recv(body, (int)corpus.size, MPI_UINT64_T, MPI_ANY_SOURCE, tag(), MPI_COMM_WORLD, &status);
    if (state->given < pieces()) {
        order[state->given] = status.MPI_SOURCE;
        answer = give(state->given, status.MPI_SOURCE, &state->chain);
    }
    state->given++;
    MPI_Send(&answer, sizeof answer, MPI_BYTE, status.MPI_SOURCE, 7, MPI_COMM_WORLD);
}

static void master(void)
{
    for (; state->round <= corpus.steps; state->round++) {
        sluice_potential_checkpoint();
        for (int i = 1; i < corpus.ranks; i++)
            answer_one();
        corpus_pause();
    }
}

static void work(void)
{
    struct answer answer;
    for (bool over = false; !over; state->round++) {
        sluice_potential_checkpoint();
        corpus_pause();
        body[0] = state->chain;
        MPI_Send(body, (int)corpus.size, MPI_UINT64_T, 0, tag(), MPI_COMM_WORLD);
        MPI_Recv(&answer, sizeof answer, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        over = answer.over != 0;
        if (!over)
            state->chain = corpus_mix(state->chain, answer.work, answer.chain);
    }
}

/* Checks what all others must have, by the order that is remembered. */
static void check(const uint64_t *got)
{
    uint64_t chain = 0, *expected = calloc((size_t)corpus.ranks, sizeof *expected);
    for (int64_t piece = 0; piece < pieces(); piece++) {
        const int source = order[piece];
        const struct answer answer = give(piece, source, &chain);
        expected[source] = corpus_mix(expected[source], answer.work, answer.chain);
    }
    for (int rank = 1; rank < corpus.ranks; rank++)
        corpus_check(got[rank] == expected[rank], "answers are those of another order");
    free(expected);
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    state = corpus_protected(sizeof *state);
    order = corpus_protected((size_t)pieces() * sizeof *order + 1);
    body = corpus_protected((size_t)corpus.size * sizeof *body);
    if (corpus.rank == 0)
        master();
    else
        work();
    uint64_t *got = calloc((size_t)corpus.ranks, sizeof *got);
    MPI_Gather(&state->chain, 1, MPI_UINT64_T, got, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (corpus.rank == 0)
        check(got);
    free(got);
    corpus_end((uint64_t)(corpus.rank == 0 ? state->given : 0));
}
