/*
 * Collectives of mix: blocking ones, and ones that end in another step. Kinds from VECTOR on are in
 * mix_vectors.c.
 */
#include "mix.h"

enum { BEGIN = 100, VECTOR = 13 };

static struct call call_of(int64_t step, int kind, int32_t *out, int32_t *in)
{
    const uint64_t drawn = corpus_mix((uint64_t)corpus.size, (uint64_t)step, 1000 + (uint64_t)kind);
    const MPI_Comm all[4] = {world, copy, half, ring};
    const int counts[4] = {1, 5, 100, 1000};
    struct call call = {.comm = kind == VECTOR - 1 ? ring : all[drawn % 4], .out = out, .in = in};
    MPI_Comm_rank(call.comm, &call.rank);
    MPI_Comm_size(call.comm, &call.ranks);
    call.root = (int)(drawn >> 8 & 0xff) % call.ranks;
    call.count = counts[drawn >> 16 & 3];
    for (int i = 0; i < call.ranks; i++) {
        call.counts[i] = call.count;
        call.places[i] = (call.ranks - 1 - i) * call.count;
    }
    return call;
}

/* Of a broadcast, and of what is done in place, `in` is filled. */
static void fill(const struct call *call, int64_t step, int kind)
{
    memset(call->in, 0, GIVEN * sizeof *call->in);
    for (int i = 0; i < (kind >= VECTOR ? 2 : 1) * call->count * call->ranks; i++)
        call->out[i] = value(step, call->rank, i) >> 4;
    if (kind == 2 ? call->rank == call->root : kind == 1)
        memcpy(call->in, call->out, (size_t)call->count * sizeof *call->in);
}

static void begin(const struct call *c, int kind, MPI_Request *request)
{
    switch (kind) {
    case 0:
        MPI_Iallreduce(c->out, c->in, c->count, MPI_INT, MPI_SUM, c->comm, request);
        break;
    case 1:
        MPI_Iallreduce(MPI_IN_PLACE, c->in, c->count, MPI_INT, MPI_MAX, c->comm, request);
        break;
    case 2:
        MPI_Ibcast(c->in, c->count, MPI_INT, c->root, c->comm, request);
        break;
    case 3:
        MPI_Ireduce(c->out, c->in, c->count, MPI_INT, MPI_SUM, c->root, c->comm, request);
        break;
    case 4:
        MPI_Iallgather(c->out, c->count, MPI_INT, c->in, c->count, MPI_INT, c->comm, request);
        break;
    case 5:
        MPI_Ialltoall(c->out, c->count, MPI_INT, c->in, c->count, MPI_INT, c->comm, request);
        break;
    case 6:
        MPI_Igather(c->out, c->count, MPI_INT, c->in, c->count, MPI_INT, c->root, c->comm, request);
        break;
    case 7:
        MPI_Iscatter(c->out, c->count, MPI_INT, c->in, c->count, MPI_INT, c->root, c->comm,
                     request);
        break;
    case 8:
        MPI_Iscan(c->out, c->in, c->count, MPI_INT, MPI_SUM, c->comm, request);
        break;
    case 9:
        MPI_Ibarrier(c->comm, request);
        break;
    case 10:
        MPI_Ireduce_scatter_block(c->out, c->in, c->count, MPI_INT, MPI_SUM, c->comm, request);
        break;
    case 11:
        MPI_Ialltoallv(c->out, c->counts, c->places, MPI_INT, c->in, c->counts, c->places, MPI_INT,
                       c->comm, request);
        break;
    default:
        MPI_Ineighbor_allgather(c->out, c->count, MPI_INT, c->in, c->count, MPI_INT, c->comm,
                                request);
    }
}

static void block(const struct call *c, int kind)
{
    switch (kind) {
    case 0:
        MPI_Allreduce(c->out, c->in, c->count, MPI_INT, MPI_SUM, c->comm);
        break;
    case 1:
        MPI_Allreduce(MPI_IN_PLACE, c->in, c->count, MPI_INT, MPI_MAX, c->comm);
        break;
    case 2:
        MPI_Bcast(c->in, c->count, MPI_INT, c->root, c->comm);
        break;
    case 3:
        MPI_Reduce(c->out, c->in, c->count, MPI_INT, MPI_SUM, c->root, c->comm);
        break;
    case 4:
        MPI_Allgatherv(c->out, c->count, MPI_INT, c->in, c->counts, c->places, MPI_INT, c->comm);
        break;
    case 5:
        MPI_Alltoall(c->out, c->count, MPI_INT, c->in, c->count, MPI_INT, c->comm);
        break;
    case 6:
        MPI_Gather(c->out, c->count, MPI_INT, c->in, c->count, MPI_INT, c->root, c->comm);
        break;
    case 7:
        MPI_Scatter(c->out, c->count, MPI_INT, c->in, c->count, MPI_INT, c->root, c->comm);
        break;
    case 8:
        MPI_Exscan(c->out, c->in, c->count, MPI_INT, MPI_SUM, c->comm);
        break;
    case 9:
        MPI_Barrier(c->comm);
        break;
    case 10:
        MPI_Reduce_scatter(c->out, c->in, c->counts, MPI_INT, MPI_SUM, c->comm);
        break;
    case 11:
        MPI_Alltoallv(c->out, c->counts, c->places, MPI_INT, c->in, c->counts, c->places, MPI_INT,
                      c->comm);
        break;
    default:
        MPI_Neighbor_alltoall(c->out, c->count / 2, MPI_INT, c->in, c->count / 2, MPI_INT, c->comm);
    }
}

static int any_kind(void)
{
    return has(VECTORS) && chance(2) == 0 ? VECTOR + chance(VECTORS_KINDS) : chance(VECTOR);
}

/* Of unequal parts the place of the last one is beyond the sum. */
static void remember_result(const struct call *call, int kind)
{
    const size_t bytes = (size_t)(call->count * call->ranks) * sizeof *call->in;
    remember(call->in, kind >= VECTOR ? 2 * bytes : bytes);
}

void begin_collective(struct slot *slot)
{
    static struct call calls[SLOTS];
    const int kind = any_kind();
    struct call *call = &calls[slot - mix->slots];
    *call = call_of(mix->step, kind, slot->out, slot->in);
    slot->kind = BEGIN + kind;
    slot->step = mix->step;
    fill(call, mix->step, kind);
    if (kind >= VECTOR)
        call_vector(call, kind - VECTOR, mix->step, &slot->open[0]);
    else
        begin(call, kind, &slot->open[0]);
    slot->requests = 1;
}

void end_collective(struct slot *slot)
{
    const int kind = (int)slot->kind - BEGIN;
    const struct call call = call_of(slot->step, kind, slot->out, slot->in);
    finish(slot);
    slot->kind = 0;
    remember_result(&call, kind);
}

void collectives_at_once(void)
{
    static int32_t out[GIVEN], in[GIVEN];
    const int kind = any_kind();
    struct call call = call_of(mix->step, kind, out, in);
    fill(&call, mix->step + 1, kind);
    if (kind >= VECTOR)
        call_vector(&call, kind - VECTOR, mix->step + 1, NULL);
    else
        block(&call, kind);
    remember_result(&call, kind);
}
