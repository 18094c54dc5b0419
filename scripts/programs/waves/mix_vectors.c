/* Collectives of mix whose parts are unequal, or nothing, that work in place, or that only neighbors take part in. */
#include "mix.h"

static MPI_Comm line, graph; /* the ends of a line have a neighbor that is nowhere */

/* The function that blocks, or the one that does not. */
#define EITHER(blocks, begins, ...)                                                                \
    (request == NULL ? MPI_##blocks(__VA_ARGS__) : MPI_I##begins(__VA_ARGS__, request))

void vectors_begin(void)
{
    const int never = 0, weights[2] = {1, 1};
    const int from_ranks[2] = {to_left(), corpus.rank}, to_ranks[2] = {to_right(), corpus.rank};
    MPI_Cart_create(world, 1, &corpus.ranks, &never, 0, &line);
    MPI_Dist_graph_create_adjacent(world, 2, from_ranks, weights, 2, to_ranks, weights,
                                   MPI_INFO_NULL, 0, &graph);
}

/* Returns how much a rank has for another one, in its step. */
static int amount(const struct call *c, int64_t step, int of, int to)
{
    return (int)((of + 2 * to + step) % 3) * c->count;
}

static void each(struct call *c, int64_t step)
{
    for (int i = 0; i < c->ranks; i++) {
        c->counts[i] = amount(c, step, i, 0);
        c->places[i] = 2 * i * c->count;
    }
}

static void gathers(struct call *c, int kind, MPI_Request *request)
{
    const int mine = c->counts[c->rank];
    const bool within = kind == 1 || kind == 3 || kind == 5;
    const void *own = within && (kind == 5 || c->rank == c->root) ? MPI_IN_PLACE : c->out;
    if (within && kind != 3)
        memcpy(c->in + c->places[c->rank], c->out, (size_t)mine * sizeof *c->in);
    if (kind < 2) {
        EITHER(Gatherv, gatherv, own, mine, MPI_INT, c->in, c->counts, c->places, MPI_INT, c->root,
               c->comm);
    } else if (kind < 4) {
        void *to = own == MPI_IN_PLACE ? MPI_IN_PLACE : c->in;
        EITHER(Scatterv, scatterv, c->out, c->counts, c->places, MPI_INT, to, mine, MPI_INT,
               c->root, c->comm);
    } else {
        EITHER(Allgatherv, allgatherv, own, mine, MPI_INT, c->in, c->counts, c->places, MPI_INT,
               c->comm);
    }
}

/* By types of each: at every other number. */
static void all_to_all(struct call *c, int64_t step, MPI_Request *request)
{
    MPI_Datatype one = shaped(STRIDED, 2, c->in);
    for (int i = 0; i < c->ranks; i++) {
        c->sent[i] = amount(c, step, c->rank, i) / 4;
        c->counts[i] = amount(c, step, i, c->rank) / 4;
        c->bytes[i] = c->places[i] * (int)sizeof *c->in;
        c->types[i] = one;
    }
    EITHER(Alltoallw, alltoallw, c->out, c->sent, c->bytes, c->types, c->in, c->counts, c->bytes,
           c->types, c->comm);
    MPI_Type_free(&one);
}

static void reductions(struct call *c, int kind, MPI_Request *request)
{
    /* MPI_Reduce of MPICH 4.0 ends with a signal where a root does it in place. */
    const bool within = request != NULL && c->rank == c->root;
    const void *own = kind == 8 && !within ? c->out : MPI_IN_PLACE;
    if (kind != 7)
        memcpy(c->in, c->out, (size_t)(c->count * c->ranks) * sizeof *c->in);
    if (kind == 7) {
        EITHER(Reduce_scatter, reduce_scatter, c->out, c->in, c->counts, MPI_INT, MPI_SUM, c->comm);
    } else if (kind == 8) {
        EITHER(Reduce, reduce, own, c->in, c->count, MPI_INT, MPI_SUM, c->root, c->comm);
    } else if (kind == 9) {
        EITHER(Scan, scan, MPI_IN_PLACE, c->in, c->count, MPI_INT, MPI_SUM, c->comm);
    } else if (kind == 10) {
        EITHER(Exscan, exscan, MPI_IN_PLACE, c->in, c->count, MPI_INT, MPI_SUM, c->comm);
    } else if (kind == 11) {
        EITHER(Reduce_scatter_block, reduce_scatter_block, MPI_IN_PLACE, c->in, c->count, MPI_INT,
               MPI_SUM, c->comm);
    } else {
        EITHER(Alltoall, alltoall, MPI_IN_PLACE, c->count, MPI_INT, c->in, c->count, MPI_INT,
               c->comm);
    }
}

/* To both neighbors of a line, or to the right and to itself. */
static void neighbors(struct call *c, int kind, MPI_Request *request)
{
    for (int i = 0; i < 2; i++) {
        c->counts[i] = c->count;
        c->sent[i] = i == 0 ? c->count : c->count / 2;
        c->places[i] = (1 - i) * c->count;
        c->apart[i] = 4 * i * c->count;
        c->types[i] = MPI_INT;
    }
    if (kind == 13) {
        EITHER(Neighbor_allgather, neighbor_allgather, c->out, c->count, MPI_INT, c->in, c->count,
               MPI_INT, line);
    } else if (kind == 14) {
        EITHER(Neighbor_alltoallw, neighbor_alltoallw, c->out, c->counts, c->apart, c->types, c->in,
               c->counts, c->apart, c->types, line);
    } else if (kind == 15) {
        EITHER(Neighbor_allgatherv, neighbor_allgatherv, c->out, c->count, MPI_INT, c->in,
               c->counts, c->places, MPI_INT, graph);
    } else {
        EITHER(Neighbor_alltoallv, neighbor_alltoallv, c->out, c->sent, c->places, MPI_INT, c->in,
               c->sent, c->places, MPI_INT, graph);
    }
}

void call_vector(struct call *c, int kind, int64_t step, MPI_Request *request)
{
    each(c, step);
    if (kind < 6)
        gathers(c, kind, request);
    else if (kind == 6)
        all_to_all(c, step, request);
    else if (kind < 13)
        reductions(c, kind, request);
    else
        neighbors(c, kind, request);
}
