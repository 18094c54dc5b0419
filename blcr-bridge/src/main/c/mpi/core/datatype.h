/*
 * Datatypes in an image: their construction, so that a restart can make those again that the
 * program has freed.
 */
#pragma once

#include <mpi.h>

#include <stdint.h>

#include "bytes.h"

/* Puts a type's construction. Returns NULL, or why the type cannot be made again. */
const char *sluice_mpi_datatype_put(struct sluice_mpi_bytes *bytes, MPI_Datatype type);

/*
 * Makes a committed type, which the caller frees. MPI_DATATYPE_NULL where the bytes make no sense.
 */
MPI_Datatype sluice_mpi_datatype_get(struct sluice_mpi_reader *reader);

/* Returns the CRC-32C of the packed values, without the alignment bytes of long doubles. */
uint32_t sluice_mpi_datatype_check(const void *buffer, int64_t count, MPI_Datatype type);
