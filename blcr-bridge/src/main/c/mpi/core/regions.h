/* The memory that the program protects. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sluice_mpi_region {
    int id;
    unsigned char *pointer;
    size_t bytes;
};

/* As sluice_protect(). */
int sluice_mpi_region_protect(int id, void *pointer, size_t bytes);

struct sluice_mpi_region *sluice_mpi_region_find(int id);

/* The region that holds all of this memory; NULL for none. */
struct sluice_mpi_region *sluice_mpi_region_of(const void *pointer, size_t bytes);

/* The first region that has bytes between these addresses; NULL for none. */
const struct sluice_mpi_region *sluice_mpi_region_within(uintptr_t low, uintptr_t high);

/* Whether all of it is protected, be it by several. */
bool sluice_mpi_regions_hold(const void *pointer, size_t bytes);

/* Bytes of all. */
int64_t sluice_mpi_region_bytes(void);

/* Puts another value for what looks like a word of this one. */
void sluice_mpi_regions_replace(int64_t former, int64_t now);

/* The first region whose bytes cannot all be read, as the kernel's list of mappings says; NULL for none. */
const struct sluice_mpi_region *sluice_mpi_region_unreadable(void);

/* Why they cannot be restored: one is not mapped any more, or cannot be written. NULL: all can. */
const char *sluice_mpi_regions_unfit(void);
