/*
 * Each rank sends every other one some messages of many sizes in a step, looks for what has come (Iprobe), and
 * waits for any of its own (Waitany). The order in which they came goes with the next step's messages, and in the
 * end all check that what they were told of it is what the others remember.
 */
#include "corpus.h"

enum { MOST = 3 };

struct state {
    int64_t step;
    uint64_t sum;   /* of what came, in whatever order */
    uint64_t order; /* of how it came */
};

static struct corpus corpus;
static struct state *state;
static uint64_t *orders; /* at the end of each step */
static uint64_t *told;   /* by each rank in each step */
static uint64_t *inbox, *outbox;

static uint64_t *order_told(int64_t step, int rank)
{
    return told + step * corpus.ranks + rank;
}

static int how_many(int source, int destination)
{
    return 1
        + (int)(corpus_mix((uint64_t)state->step, (uint64_t)source, (uint64_t)destination) % MOST);
}

static int length(int source, int number)
{
    const uint64_t chance =
        corpus_mix((uint64_t)state->step, (uint64_t)source, 77 + (uint64_t)number);
    return 2 + (int)(chance % (uint64_t)corpus.size);
}

static int send_all(MPI_Request *sends)
{
    int n = 0;
    for (int to = 0; to < corpus.ranks; to++) {
        for (int i = 0; to != corpus.rank && i < how_many(corpus.rank, to); i++, n++) {
            uint64_t *message = outbox + n * (corpus.size + 2);
            message[0] = state->order;
            message[1] = corpus_mix((uint64_t)corpus.rank, (uint64_t)state->step, (uint64_t)i);
            MPI_Isend(message, length(corpus.rank, i), MPI_UINT64_T, to, (int)(state->step % 2),
                      MPI_COMM_WORLD, &sends[n]);
        }
    }
    return n;
}

static void take(int source)
{
    int count;
    MPI_Status status;
    MPI_Recv(inbox, (int)corpus.size + 2, MPI_UINT64_T, source, (int)(state->step % 2),
             MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    state->sum += corpus_mix(inbox[1], (uint64_t)source, (uint64_t)count);
    state->order = corpus_mix(state->order, (uint64_t)source, 0);
    *order_told(state->step, source) = inbox[0];
}

static void receive_all(void)
{
    int left = 0;
    for (int from = 0; from < corpus.ranks; from++)
        left += from == corpus.rank ? 0 : how_many(from, corpus.rank);
    while (left > 0) {
        int there;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, (int)(state->step % 2), MPI_COMM_WORLD, &there, &status);
        if (there) {
            take(status.MPI_SOURCE);
            left--;
        } else {
            corpus_pause();
        }
    }
}

static void wait_for_sends(MPI_Request *sends, int n)
{
    for (int done = 0, which; done < n; done++)
        MPI_Waitany(n, sends, &which, MPI_STATUS_IGNORE);
}

/* Exchanges one more message with each other rank, by receives of which any may be first. */
static void pass_on(void)
{
    MPI_Request requests[2 * corpus.ranks];
    uint64_t here = state->order, *came = inbox;
    for (int rank = 0; rank < corpus.ranks; rank++) {
        requests[rank] = requests[corpus.ranks + rank] = MPI_REQUEST_NULL;
        if (rank != corpus.rank) {
            MPI_Irecv(&came[rank], 1, MPI_UINT64_T, rank, 5, MPI_COMM_WORLD, &requests[rank]);
            MPI_Isend(&here, 1, MPI_UINT64_T, rank, 5, MPI_COMM_WORLD,
                      &requests[corpus.ranks + rank]);
        }
    }
    for (int done = 0, which; done < 2 * (corpus.ranks - 1); done++) {
        MPI_Waitany(2 * corpus.ranks, requests, &which, MPI_STATUS_IGNORE);
        if (which < corpus.ranks)
            state->order = corpus_mix(state->order, (uint64_t)which, came[which]);
    }
}

/* Checks that each was told before a step what the other had at the end of the step before. */
static void check(void)
{
    const size_t steps = (size_t)corpus.steps;
    uint64_t *all = calloc(steps * (size_t)corpus.ranks, sizeof *all);
    MPI_Allgather(orders, (int)steps, MPI_UINT64_T, all, (int)steps, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int64_t step = 1; step < corpus.steps; step++) {
        for (int rank = 0; rank < corpus.ranks; rank++) {
            corpus_check(rank == corpus.rank
                             || *order_told(step, rank)
                                 == all[(size_t)rank * steps + (size_t)step - 1],
                         "it was told of another order");
        }
    }
    free(all);
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    const size_t message = ((size_t)corpus.size + 2) * sizeof(uint64_t),
                 ranks = (size_t)corpus.ranks;
    state = corpus_protected(sizeof *state);
    orders = corpus_protected((size_t)corpus.steps * sizeof *orders);
    told = corpus_protected((size_t)corpus.steps * ranks * sizeof *told);
    inbox = corpus_protected(message + ranks * sizeof *inbox);
    outbox = corpus_protected(MOST * ranks * message);
    for (; state->step < corpus.steps; state->step++) {
        MPI_Request sends[MOST * corpus.ranks];
        sluice_potential_checkpoint();
        const int n = send_all(sends);
        receive_all();
        wait_for_sends(sends, n);
        pass_on();
        orders[state->step] = state->order;
    }
    check();
    corpus_end(state->sum);
}
