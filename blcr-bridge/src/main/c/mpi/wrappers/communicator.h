/*
 * The communicators of the program, by ids that are equal at all members and come back at a
 * restart.
 *
 * MPI_COMM_WORLD has 0. For any other communicator, the member of rank 0 makes the id. Its parts
 * are the member's rank in the world and the count of its names so far. A broadcast on the new
 * communicator tells the others, so no two have the same id. A communicator begun by MPI_Comm_idup
 * has an id that all members know by themselves.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct sluice_mpi_comm {
    MPI_Comm handle;
    int64_t id;
    int rank;   /* rank of this process in it */
    int size;   /* of an inter-communicator: size of the other group, whose ranks messages name */
    int *world; /* rank in MPI_COMM_WORLD of each of these */
    int64_t collectives; /* the core's count of collectives entered */
    int64_t copies;      /* count of copies begun */
    bool inter;
    bool early; /* a restart makes it: made before the first spot, and not freed */
    struct sluice_mpi_comm *next;
    struct sluice_mpi_comm **at;   /* its place in the list */
    struct sluice_mpi_comm *alike; /* the next one whose handle has the same hash */
    struct sluice_mpi_comm *alike_id;
};

/* The communicator of the last call of sluice_mpi_comm_of(). */
extern struct sluice_mpi_comm *sluice_mpi_last_comm;

/* All communicators, in no order. */
extern struct sluice_mpi_comm *sluice_mpi_comms;

struct sluice_mpi_comm *sluice_mpi_comm_find(MPI_Comm handle);

/*
 * Returns the communicator of a handle. NULL for MPI_COMM_NULL and for a bad handle, of which MPI
 * then says what is wrong.
 */
static inline struct sluice_mpi_comm *sluice_mpi_comm_of(MPI_Comm handle)
{
    struct sluice_mpi_comm *last = sluice_mpi_last_comm;
    return __builtin_expect(last->handle == handle, 1) ? last : sluice_mpi_comm_find(handle);
}

/* The count of communicators made after the first spot. */
extern int sluice_mpi_comms_behind;

/* Returns the communicator of an id from an image; NULL if there is none. */
struct sluice_mpi_comm *sluice_mpi_comm_by_id(int64_t id);

/* Returns the rank in a communicator of a rank in the world; -1 if that is no member. */
int sluice_mpi_rank_in(const struct sluice_mpi_comm *comm, int world);

/* Begins with the world and self, at MPI_Init. */
void sluice_mpi_comms_begin(void);

/* Notes the first spot: communicators made from now on are not `early`. */
void sluice_mpi_comms_late(void);
bool sluice_mpi_comms_are_late(void);

/* Adds a communicator that its members have made. Calls nothing that the program sees. */
void sluice_mpi_comm_made(MPI_Comm handle);

/*
 * Begins a copy of a communicator, without waiting for the other members. The copy is not in the
 * list before it is done.
 */
struct sluice_mpi_comm *sluice_mpi_comm_begun(MPI_Comm handle, struct sluice_mpi_comm *of);
void sluice_mpi_comm_done(struct sluice_mpi_comm *comm);

/*
 * Removes a communicator that the program has freed from the list, and returns it; NULL for an
 * unknown handle. The core owns it until sluice_mpi_comm_end().
 */
struct sluice_mpi_comm *sluice_mpi_comm_freed(MPI_Comm handle);
void sluice_mpi_comm_end(struct sluice_mpi_comm *comm);
