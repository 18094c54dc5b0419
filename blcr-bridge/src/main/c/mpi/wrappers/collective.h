/*
 * A collective that the program calls, as one thing: the wrapper makes it, the core has it carried out.
 * It lies on the wrapper's stack, and names what the program passed.
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

/* How the arguments name the data. */
enum sluice_mpi_shape {
    SLUICE_MPI_NOTHING,
    SLUICE_MPI_BUFFER,     /* buffer, count, datatype: of a broadcast */
    SLUICE_MPI_ONE,        /* sendbuf, sendcount, sendtype */
    SLUICE_MPI_EACH,       /* as many for each member */
    SLUICE_MPI_VECTOR,     /* sendcounts and displacements in elements */
    SLUICE_MPI_WIDE,       /* and types; displacements in bytes */
    SLUICE_MPI_REDUCED,    /* sendbuf, count, datatype */
    SLUICE_MPI_ABOVE,      /* the same, and nothing at rank 0 */
    SLUICE_MPI_SCATTERED,  /* sendbuf, recvcounts, datatype */
    SLUICE_MPI_PART,       /* recvbuf, the one of recvcounts that is this rank's, datatype */
    SLUICE_MPI_BLOCK,      /* sendbuf, recvcount for each member, datatype */
    SLUICE_MPI_BLOCK_PART, /* recvbuf, recvcount, datatype */
};

struct sluice_mpi_collective {
    const char *name; /* "MPI_Bcast" */
    enum sluice_mpi_flow flow;
    enum sluice_mpi_shape in;
    enum sluice_mpi_shape out;
    int neighbors; /* whether the members are those of the topology that are next to this one */
    MPI_Comm comm;
    int root; /* by its rank in `comm`; -1: none */

    /*
     * Calls the library's function: the one that blocks, or with a request the one that does not. MPI
     * matches no blocking one with one that is not blocking: all members must get the same.
     */
    int (*forward)(const struct sluice_mpi_collective *self, MPI_Request *request);

    /* The arguments, those that the function has. `send` has also what a broadcast calls buffer. */
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
 * What this rank contributes, and what it is given: stores as many pieces as there is room for, and
 * returns how many there are. MPI_IN_PLACE and the root are looked after. What is no
 * contribution or result of this rank has 0 pieces.
 */
int sluice_mpi_inputs(const struct sluice_mpi_collective *, struct sluice_mpi_piece *, int room);
int sluice_mpi_outputs(const struct sluice_mpi_collective *, struct sluice_mpi_piece *, int room);
