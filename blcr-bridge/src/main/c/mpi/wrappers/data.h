/*
 * The data that the buffer, count and datatype of a message stand for: packed bytes, their
 * checksum, their places in memory. Data of a contiguous type is never copied to examine it.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether a type with this combiner is MPI's own. Nobody frees such types. */
bool sluice_mpi_is_mpis(int combiner);
void sluice_mpi_free_unless_mpis(MPI_Datatype *type);

/* Returns the bytes of the data when packed. */
int64_t sluice_mpi_packed(int64_t count, MPI_Datatype type);

/* Returns where the packed bytes are in memory already; NULL where they are not. */
const void *sluice_mpi_contiguous(const void *buffer, int64_t count, MPI_Datatype type);

/* Packs into `packed`, which has room for sluice_mpi_packed() bytes. Returns an MPI error class. */
int sluice_mpi_pack(const void *buffer, int64_t count, MPI_Datatype type, void *packed);

/*
 * Unpacks `bytes`, perhaps fewer than the data has: then the rest of the data stays. Returns an MPI
 * error class.
 */
int sluice_mpi_unpack(const void *packed, int64_t bytes, void *buffer, int64_t count,
                      MPI_Datatype type);

/* Return the bytes of a message, as its status tells; and set them in a status. */
int64_t sluice_mpi_bytes_of(const MPI_Status *status);
void sluice_mpi_set_bytes(MPI_Status *status, int64_t bytes);

/*
 * Sets the status of a call without a message, but for its error. `status` may be
 * MPI_STATUS_IGNORE.
 */
void sluice_mpi_empty_status(MPI_Status *status);

/*
 * Copies a status to the program's, which may be MPI_STATUS_IGNORE. The error there stays: MPI sets
 * that where a call fails some of several requests.
 */
static inline void sluice_mpi_tell_status(MPI_Status *status, const MPI_Status *known)
{
    if (status != MPI_STATUS_IGNORE) {
        const int before = status->MPI_ERROR;
        *status = *known;
        status->MPI_ERROR = before;
    }
}

/*
 * Returns a type and a count for `bytes`, also where no int has so many. The caller ends the type
 * when MPI has it; MPI_BYTE itself is left alone then.
 */
MPI_Datatype sluice_mpi_bytes_type(int64_t bytes, int *count);
void sluice_mpi_bytes_type_end(MPI_Datatype type);

/* The most bytes that sluice_mpi_bytes_type() counts by an int; smaller in tests. */
extern int64_t sluice_mpi_most_bytes;

/* Returns the CRC-32C of the packed bytes. */
uint32_t sluice_mpi_check(const void *buffer, int64_t count, MPI_Datatype type);

/* Continues a CRC-32C, which begins with 0. */
uint32_t sluice_mpi_crc(uint32_t crc, const void *data, size_t length);

/* Finds the lowest address of the data and the first one behind, relative to the buffer's. */
void sluice_mpi_bounds(int64_t count, MPI_Datatype type, int64_t *low, int64_t *high);
