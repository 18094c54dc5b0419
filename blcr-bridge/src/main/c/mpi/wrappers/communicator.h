/*
 * The communicators of the program, by ids that are equal at all members and come back at a restart.
 *
 * MPI_COMM_WORLD has 0. Of any other one the member of rank 0 has made the id from its rank in the world and
 * from how many it has named before, and told it to the others by a broadcast on the new one. So no two have the same.
 * One that is begun (MPI_Comm_idup) has an id that all members know.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct sluice_mpi_comm {
    MPI_Comm handle;
    int64_t id;
    int rank;   /* of this process in it */
    int size;   /* of an inter-communicator: of the other group, whose ranks messages name */
    int *world; /* the rank in MPI_COMM_WORLD of each of these */
    int64_t collectives; /* how many were entered: the core's */
    int64_t copies;      /* how many were begun */
    bool inter;
    bool early; /* a restart makes it: before the first spot, where it was not freed */
    struct sluice_mpi_comm *next;
    struct sluice_mpi_comm **at;   /* where the list has it */
    struct sluice_mpi_comm *alike; /* the next one whose handle has the same hash */
    struct sluice_mpi_comm *alike_id;
};

/* Of the last call of sluice_mpi_comm_of(). */
extern struct sluice_mpi_comm *sluice_mpi_last_comm;

/* All, in no order. */
extern struct sluice_mpi_comm *sluice_mpi_comms;

struct sluice_mpi_comm *sluice_mpi_comm_find(MPI_Comm handle);

/* NULL of MPI_COMM_NULL and what is no communicator: MPI then says what is wrong. */
static inline struct sluice_mpi_comm *sluice_mpi_comm_of(MPI_Comm handle)
{
    struct sluice_mpi_comm *last = sluice_mpi_last_comm;
    return __builtin_expect(last->handle == handle, 1) ? last : sluice_mpi_comm_find(handle);
}

/* How many of them were made behind the first spot. */
extern int sluice_mpi_comms_behind;

/* By its id, for what comes out of an image; NULL if there is none. */
struct sluice_mpi_comm *sluice_mpi_comm_by_id(int64_t id);

/* A rank in the world as a rank in a communicator; -1 if it is no member. */
int sluice_mpi_rank_in(const struct sluice_mpi_comm *comm, int world);

/* World and self, by MPI_Init. */
void sluice_mpi_comms_begin(void);

/* The first spot: what is made from now on is not `early`. */
void sluice_mpi_comms_late(void);
bool sluice_mpi_comms_are_late(void);

/* The members have made it. They call nothing that the program sees. */
void sluice_mpi_comm_made(MPI_Comm handle);

/*
 * The members begin to make a copy of another one, and wait for nobody: not in the list before they have made it.
 */
struct sluice_mpi_comm *sluice_mpi_comm_begun(MPI_Comm handle, struct sluice_mpi_comm *of);
void sluice_mpi_comm_done(struct sluice_mpi_comm *comm);

/* The program has freed it: out of the list. It is the core's until it ends it; NULL of an unknown one. */
struct sluice_mpi_comm *sluice_mpi_comm_freed(MPI_Comm handle);
void sluice_mpi_comm_end(struct sluice_mpi_comm *comm);
