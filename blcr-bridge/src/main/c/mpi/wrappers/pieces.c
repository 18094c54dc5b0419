#include "collective.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "communicator.h"
#include "real.h"

/* A side of a collective: the data sent, or the data received. */
struct side {
    void *buffer;
    int count;
    MPI_Datatype type;
    const int *counts;
    const int *elements; /* displacements in elements, or in bytes below */
    const MPI_Aint *bytes;
    const MPI_Datatype *types;
    int members;
};

/*
 * Returns the number of this rank's neighbors in the topology: those that it sends to, or those
 * that send to it.
 */
static int neighbors(MPI_Comm comm, bool to_them)
{
    int kind;
    int in = 0;
    int out = 0;
    int weighted;
    real.Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        real.Cartdim_get(comm, &in);
        return 2 * in;
    }
    if (kind == MPI_GRAPH) {
        real.Comm_rank(comm, &out);
        real.Graph_neighbors_count(comm, out, &in);
        return in;
    }
    if (kind == MPI_DIST_GRAPH)
        real.Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    return to_them ? out : in;
}

static int members(const struct sluice_mpi_collective *of, bool to_them)
{
    return of->neighbors ? neighbors(of->comm, to_them) : sluice_mpi_comm_of(of->comm)->size;
}

/*
 * Returns whether this rank is the root. Between two groups the root gives MPI_ROOT, the rest of
 * its group MPI_PROC_NULL, and the other group the root's rank.
 */
static bool is_root(const struct sluice_mpi_collective *of)
{
    const struct sluice_mpi_comm *comm = sluice_mpi_comm_of(of->comm);
    return comm->inter ? of->root == MPI_ROOT : of->root == comm->rank;
}

/*
 * Returns whether this rank is on the side opposite to the root. Within one group the root is, too.
 */
static bool is_among_others(const struct sluice_mpi_collective *of)
{
    return !sluice_mpi_comm_of(of->comm)->inter || of->root >= 0;
}

static bool gives(const struct sluice_mpi_collective *of)
{
    return of->flow == SLUICE_MPI_FROM_ROOT ? is_root(of)
        : of->flow == SLUICE_MPI_TO_ROOT    ? is_among_others(of)
                                            : true;
}

static bool gets(const struct sluice_mpi_collective *of)
{
    if (of->out == SLUICE_MPI_BUFFER && is_root(of)) /* the root of a broadcast has the data */
        return false;
    return of->flow == SLUICE_MPI_TO_ROOT  ? is_root(of)
        : of->flow == SLUICE_MPI_FROM_ROOT ? is_among_others(of)
                                           : true;
}

/* Returns the size of this rank's own group, among which a reduced result is scattered. */
static int own_members(const struct sluice_mpi_collective *of)
{
    int size;
    real.Comm_size(of->comm, &size);
    return size;
}

static struct side received(const struct sluice_mpi_collective *of)
{
    return (struct side){of->recvbuf, of->recvcount, of->recvtype,  of->recvcounts,
                         of->rdispls, of->rbytes,    of->recvtypes, members(of, false)};
}

/* Returns the side sent. With MPI_IN_PLACE the data is where the result comes. */
static struct side sent(const struct sluice_mpi_collective *of)
{
    if (of->sendbuf == MPI_IN_PLACE)
        return received(of);
    return (struct side){(void *)of->sendbuf, of->sendcount, of->sendtype,  of->sendcounts,
                         of->sdispls,         of->sbytes,    of->sendtypes, members(of, true)};
}

static void *behind(void *buffer, int64_t elements, MPI_Datatype type)
{
    MPI_Aint low;
    MPI_Aint extent;
    real.Type_get_extent(type, &low, &extent);
    return (char *)buffer + elements * extent;
}

static int one(struct sluice_mpi_piece *pieces, int room, void *buffer, int64_t count,
               MPI_Datatype type)
{
    if (room > 0)
        pieces[0] = (struct sluice_mpi_piece){buffer, count, type, false};
    return 1;
}

static int vector(const struct side *side, int member, struct sluice_mpi_piece *pieces, int room)
{
    return one(pieces, room, behind(side->buffer, side->elements[member], side->type),
               side->counts[member], side->type);
}

static int wide(const struct side *side, int member, struct sluice_mpi_piece *pieces, int room)
{
    const int64_t offset =
        side->bytes != NULL ? (int64_t)side->bytes[member] : side->elements[member];
    return one(pieces, room, (char *)side->buffer + offset, side->counts[member],
               side->types[member]);
}

static int parts(const struct side *side, bool typed, struct sluice_mpi_piece *pieces, int room)
{
    for (int member = 0; member < side->members; member++)
        if (member < room && typed)
            wide(side, member, pieces + member, 1);
        else if (member < room)
            vector(side, member, pieces + member, 1);
    return side->members;
}

static int64_t sum(const int *counts, int members)
{
    int64_t all = 0;
    for (int member = 0; member < members; member++)
        all += counts[member];
    return all;
}

/*
 * Stores the piece that a member gives to a gather. With MPI_IN_PLACE it is at its place in the
 * result.
 */
static int given(const struct sluice_mpi_collective *of, int rank, struct sluice_mpi_piece *pieces,
                 int room)
{
    const struct side side = sent(of);
    if (of->sendbuf != MPI_IN_PLACE)
        return one(pieces, room, side.buffer, side.count, side.type);
    if (of->out == SLUICE_MPI_VECTOR)
        return vector(&side, rank, pieces, room);
    return one(pieces, room, behind(side.buffer, (int64_t)rank * side.count, side.type), side.count,
               side.type);
}

int sluice_mpi_inputs(const struct sluice_mpi_collective *of, struct sluice_mpi_piece *pieces,
                      int room)
{
    const int rank = sluice_mpi_comm_of(of->comm)->rank;
    if (of->in == SLUICE_MPI_NOTHING || !gives(of))
        return 0;
    if (of->in == SLUICE_MPI_ONE)
        return given(of, rank, pieces, room);
    const struct side side = sent(of);
    switch (of->in) {
    case SLUICE_MPI_EACH:
        return one(pieces, room, side.buffer, (int64_t)side.count * side.members, side.type);
    case SLUICE_MPI_VECTOR:
    case SLUICE_MPI_WIDE:
        return parts(&side, of->in == SLUICE_MPI_WIDE, pieces, room);
    case SLUICE_MPI_SCATTERED:
        return one(pieces, room, side.buffer, sum(of->recvcounts, own_members(of)), of->recvtype);
    case SLUICE_MPI_BLOCK:
        return one(pieces, room, side.buffer, (int64_t)of->recvcount * own_members(of),
                   of->recvtype);
    default:
        return one(pieces, room, side.buffer, side.count, side.type);
    }
}

int sluice_mpi_outputs(const struct sluice_mpi_collective *of, struct sluice_mpi_piece *pieces,
                       int room)
{
    const int rank = sluice_mpi_comm_of(of->comm)->rank;
    if (of->out == SLUICE_MPI_NOTHING || of->recvbuf == MPI_IN_PLACE || !gets(of))
        return 0;
    if (of->out == SLUICE_MPI_ABOVE && rank == 0)
        return 0;
    const struct side side = received(of);
    switch (of->out) {
    case SLUICE_MPI_EACH:
        return one(pieces, room, side.buffer, (int64_t)side.count * side.members, side.type);
    case SLUICE_MPI_VECTOR:
    case SLUICE_MPI_WIDE:
        return parts(&side, of->out == SLUICE_MPI_WIDE, pieces, room);
    case SLUICE_MPI_PART:
        return one(pieces, room, side.buffer, side.counts[rank], side.type);
    default:
        return one(pieces, room, side.buffer, side.count, side.type);
    }
}
