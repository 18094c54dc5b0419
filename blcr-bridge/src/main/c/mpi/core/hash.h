/* XXH3 with 128 bits, as its specification defines it for more than 240 bytes and seed 0. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sluice_mpi_hash {
    uint64_t low;
    uint64_t high;
};

/* The least bytes. The hash of fewer bytes is defined in another way, which is not here. */
#define SLUICE_MPI_HASH_LEAST 241

struct sluice_mpi_hash sluice_mpi_hash(const void *data, size_t length);
