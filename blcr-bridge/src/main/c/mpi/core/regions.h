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

/* Protects memory as sluice_protect() does. */
int sluice_mpi_region_protect(int id, void *pointer, size_t bytes);

struct sluice_mpi_region *sluice_mpi_region_find(int id);

/* Returns the region that holds all of this memory; NULL for none. */
struct sluice_mpi_region *sluice_mpi_region_of(const void *pointer, size_t bytes);

/* Returns the first region with bytes between these addresses; NULL for none. */
const struct sluice_mpi_region *sluice_mpi_region_within(uintptr_t low, uintptr_t high);

/* Returns whether all of this memory is protected, perhaps by several regions. */
bool sluice_mpi_regions_hold(const void *pointer, size_t bytes);

int64_t sluice_mpi_region_bytes(void);

/* Replaces each word with the value `former` by `now`, in all regions. */
void sluice_mpi_regions_replace(int64_t former, int64_t now);

/*
 * Returns the first region whose bytes cannot all be read, by the kernel's list of mappings; NULL
 * for none.
 */
const struct sluice_mpi_region *sluice_mpi_region_unreadable(void);

/*
 * Returns why the regions cannot be restored: one is not mapped any more, or cannot be written.
 * NULL: all can.
 */
const char *sluice_mpi_regions_unfit(void);
