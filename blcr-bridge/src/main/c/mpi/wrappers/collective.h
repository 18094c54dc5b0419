/*
 * A collective call of the program, as a structure. The wrapper makes the structure, and the core
 * has it carried out. The structure lies on the wrapper's stack, and names the program's arguments.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "sluice_mpi_kinds.h"

/* Data that the operation takes from this rank, or gives to it. */
struct sluice_mpi_piece {
    void *buffer;
    int64_t count;
    MPI_Datatype type;
    bool own; /* the type is the layer's, to be freed with the piece */
};

/* The way in which the arguments name the data. */
enum sluice_mpi_shape {
    SLUICE_MPI_NOTHING,
    SLUICE_MPI_BUFFER,     /* buffer, count, datatype: of a broadcast */
    SLUICE_MPI_ONE,        /* sendbuf, sendcount, sendtype */
    SLUICE_MPI_EACH,       /* a part for each member */
    SLUICE_MPI_VECTOR,     /* sendcounts and displacements in elements */
    SLUICE_MPI_WIDE,       /* and types; displacements in bytes */
    SLUICE_MPI_REDUCED,    /* sendbuf, count, datatype */
    SLUICE_MPI_ABOVE,      /* sendbuf, count, datatype; nothing at rank 0 */
    SLUICE_MPI_SCATTERED,  /* sendbuf, recvcounts, datatype */
    SLUICE_MPI_PART,       /* recvbuf, this rank's one of recvcounts, datatype */
    SLUICE_MPI_BLOCK,      /* sendbuf, recvcount for each member, datatype */
    SLUICE_MPI_BLOCK_PART, /* recvbuf, recvcount, datatype */
};

struct sluice_mpi_collective {
    const char *name; /* "MPI_Bcast" */
    enum sluice_mpi_flow flow;
    enum sluice_mpi_shape in;
    enum sluice_mpi_shape out;
    int neighbors; /* the members are this rank's neighbors in the topology */
    MPI_Comm comm;
    int root; /* rank in `comm`; -1: none */

    /*
     * Calls the library's function: the blocking one, or with a request the other one. MPI does not
     * match a blocking call with one that is not: all members must make the same.
     */
    int (*forward)(const struct sluice_mpi_collective *self, MPI_Request *request);

    /* The arguments, as far as the function has them. `send` also has the buffer of a broadcast. */
    const void *sendbuf;
    void *recvbuf;
    int sendcount;
    int recvcount;
    MPI_Datatype sendtype;
    MPI_Datatype recvtype;
    const int *sendcounts;
    const int *recvcounts;
    const int *sdispls;
    const int *rdispls;
    const MPI_Aint *sbytes; /* displacements of neighbors */
    const MPI_Aint *rbytes;
    const MPI_Datatype *sendtypes;
    const MPI_Datatype *recvtypes;
    MPI_Op op;
};

/*
 * Store the pieces that this rank contributes, or is given, as many as there is room for. Each
 * returns how many pieces there are; 0 where this rank contributes, or is given, nothing.
 * MPI_IN_PLACE and the root are taken care of.
 */
int sluice_mpi_inputs(const struct sluice_mpi_collective *, struct sluice_mpi_piece *, int room);
int sluice_mpi_outputs(const struct sluice_mpi_collective *, struct sluice_mpi_piece *, int room);
