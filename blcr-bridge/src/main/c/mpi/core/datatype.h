/* Datatypes in an image: how they were made, so that a restart makes them again where the program has them no longer. */
#pragma once

#include <mpi.h>

#include <stdint.h>

#include "bytes.h"

/* NULL, or why it cannot be made again. */
const char *sluice_mpi_datatype_put(struct sluice_mpi_bytes *bytes, MPI_Datatype type);

/* A committed type, which the caller frees. MPI_DATATYPE_NULL where the bytes make no sense. */
MPI_Datatype sluice_mpi_datatype_get(struct sluice_mpi_reader *reader);

/* CRC-32C of the packed values: bytes that a long double only has for its alignment may have any value. */
uint32_t sluice_mpi_datatype_check(const void *buffer, int64_t count, MPI_Datatype type);
