/*
 * The requests that a program sees. The program may keep them in memory that a restart puts back.
 * So their values are not MPI's own, but places in a table at one address in every process.
 *
 * Under Open MPI a request is the address of a slot. The Fortran interface reads Fortran's index
 * out of the memory there, so a slot begins with the bytes of a request of Open MPI. Under MPICH a
 * request is a number that no request of MPICH has.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef OPEN_MPI
#define SLUICE_MPI_BEHIND 224 /* upper bound of the bytes of Open MPI's request */
#else
#define SLUICE_MPI_BEHIND 0
#endif

#define SLUICE_MPI_SLOTS (1 << 20)                       /* most requests open at one time */
#define SLUICE_MPI_PERSISTENT (SLUICE_MPI_SLOTS / 4 * 3) /* first of the persistent ones */

#if defined(__x86_64__)
#define SLUICE_MPI_TABLE UINT64_C(0x3a0000000000)
#else
#define SLUICE_MPI_TABLE UINT64_C(0x3a00000000) /* addresses may have only 39 bits */
#endif

/* MPICH: of the kind "request" and of no storage, as only MPI_REQUEST_NULL is. */
#define SLUICE_MPI_FIRST 0x2c000000

struct sluice_mpi_slot {
    unsigned char behind[SLUICE_MPI_BEHIND];
    void *handle; /* the core's; NULL: no request has had this place */
};

#define SLUICE_MPI_SLOT ((struct sluice_mpi_slot *)(uintptr_t)SLUICE_MPI_TABLE)

/* Returns the slot of a request; NULL for MPI_REQUEST_NULL, and for a request of MPI's own. */
static inline struct sluice_mpi_slot *sluice_mpi_slot(MPI_Request request)
{
#ifdef OPEN_MPI
    const uint64_t offset = (uint64_t)(uintptr_t)request - SLUICE_MPI_TABLE;
    return offset < SLUICE_MPI_SLOTS * sizeof(struct sluice_mpi_slot)
        ? (struct sluice_mpi_slot *)request
        : NULL;
#else
    const uint32_t index = (uint32_t)request - SLUICE_MPI_FIRST;
    return index != 0 && index < SLUICE_MPI_SLOTS ? SLUICE_MPI_SLOT + index : NULL;
#endif
}

/* Convert a request to a number that an image can have, and back. */
static inline int64_t sluice_mpi_value(MPI_Request request)
{
    return (int64_t)(intptr_t)request;
}

static inline MPI_Request sluice_mpi_valued(int64_t value)
{
    return (MPI_Request)(intptr_t)value;
}

/* Maps the table, and learns where Open MPI keeps the index of Fortran. Called at MPI_Init. */
void sluice_mpi_requests_begin(void);

static inline bool sluice_mpi_is_of_persistent(MPI_Request request)
{
    return sluice_mpi_slot(request) - SLUICE_MPI_SLOT >= SLUICE_MPI_PERSISTENT;
}

/* Makes a request, in the next place of its kind. Ends the job where all are taken. */
MPI_Request sluice_mpi_request(void *handle, bool persistent);

#ifdef OPEN_MPI
/* Convert one of the layer's requests to Fortran's index, and back; NULL for any other index. */
int sluice_mpi_request_index(MPI_Request request);
MPI_Request sluice_mpi_request_indexed(int index);
#endif
