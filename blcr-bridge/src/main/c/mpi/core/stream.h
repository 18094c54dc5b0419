/*
 * The counts of messages that this rank sends and receives. Streams are known by ranks in the
 * world.
 */
#pragma once

#include <mpi.h>
#include <stdint.h>

#include "layer.h"
#include "wrappers/communicator.h"

/* Counts a message to this rank of the communicator. Returns its number in its stream. */
static inline int64_t sluice_mpi_sends(const struct sluice_mpi_comm *comm, int dest, int tag)
{
    return ++sluice_mpi_counts_of(&sluice_mpi.sent, comm->id, sluice_mpi.rank, comm->world[dest],
                                  tag)
                 ->count;
}

/* Counts a received message, by its status and its receive's place in the order of posting. */
static inline void sluice_mpi_received(const struct sluice_mpi_comm *comm, const MPI_Status *status,
                                       int64_t posted)
{
    if (status->MPI_SOURCE < 0) /* MPI_PROC_NULL */
        return;
    struct sluice_mpi_count *count =
        sluice_mpi_counts_of(&sluice_mpi.got, comm->id, comm->world[status->MPI_SOURCE],
                             sluice_mpi.rank, status->MPI_TAG);
    if (posted > count->posted)
        count->posted = posted;
    count->count++;
}

/* Returns whether this error means that a message is longer than its receive has room for. */
bool sluice_mpi_is_truncated(int error);

/*
 * Returns whether a receive that ended so has taken its message: all of it, or as much as there is
 * room for.
 */
static inline bool sluice_mpi_has_taken(int error)
{
    return __builtin_expect(error == MPI_SUCCESS, 1) || sluice_mpi_is_truncated(error);
}

/*
 * Returns whether messages were received that were sent after others which an open receive has. No
 * count tells then which. `posted` and the other parameters describe one open receive.
 */
bool sluice_mpi_is_overtaken(const struct sluice_mpi_comm *comm, int source, int tag,
                             int64_t posted);
