/*
 * What the buffer, count and datatype of a message stand for: packed bytes, their checksum, their
 * places in memory. Data of a contiguous type is never copied to look at it.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of MPI's own, by their combiner: nobody frees them. */
bool sluice_mpi_is_mpis(int combiner);
void sluice_mpi_free_unless_mpis(MPI_Datatype *type);

/* How many bytes the data has when it is packed. */
int64_t sluice_mpi_packed(int64_t count, MPI_Datatype type);

/* Where the packed bytes lie in memory already; NULL where they do not. */
const void *sluice_mpi_contiguous(const void *buffer, int64_t count, MPI_Datatype type);

/* Packs into `packed`, which has room for sluice_mpi_packed(). An MPI error class. */
int sluice_mpi_pack(const void *buffer, int64_t count, MPI_Datatype type, void *packed);

/* Unpacks `bytes`, which may be fewer than the data has: then the rest of the data stays. */
int sluice_mpi_unpack(const void *packed, int64_t bytes, void *buffer, int64_t count,
                      MPI_Datatype type);

/* How many bytes a message has, as its status says; and makes a status say so. */
int64_t sluice_mpi_bytes_of(const MPI_Status *status);
void sluice_mpi_set_bytes(MPI_Status *status, int64_t bytes);

/* The status of what is no message, but for its error. It may be ignored. */
void sluice_mpi_empty_status(MPI_Status *status);

/* Tells the program, which may ignore it. The error there stays: MPI sets that where a call fails some of several requests. */
static inline void sluice_mpi_tell_status(MPI_Status *status, const MPI_Status *known)
{
    if (status != MPI_STATUS_IGNORE) {
        const int before = status->MPI_ERROR;
        *status = *known;
        status->MPI_ERROR = before;
    }
}

/*
 * So many bytes as a count of a type, also where no int has so many. The caller ends the type when MPI has it: that
 * leaves MPI_BYTE alone.
 */
MPI_Datatype sluice_mpi_bytes_type(int64_t bytes, int *count);
void sluice_mpi_bytes_type_end(MPI_Datatype type);

/* The most bytes that are counted by an int there; smaller in tests. */
extern int64_t sluice_mpi_most_bytes;

/* CRC-32C of the packed bytes. */
uint32_t sluice_mpi_check(const void *buffer, int64_t count, MPI_Datatype type);

/* Goes on with a CRC-32C that began with 0. */
uint32_t sluice_mpi_crc(uint32_t crc, const void *data, size_t length);

/* The lowest and the first address behind the data, from the buffer's address. */
void sluice_mpi_bounds(int64_t count, MPI_Datatype type, int64_t *low, int64_t *high);
