#include "regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wrappers/real.h"

struct sluice_mpi_region *sluice_mpi_regions;
int sluice_mpi_region_count;
int64_t sluice_mpi_region_changes;

static int capacity;

/* Its place, or where it belongs. */
static int place(int id)
{
    int at = 0;
    while (at < sluice_mpi_region_count && sluice_mpi_regions[at].id < id)
        at++;
    return at;
}

static struct sluice_mpi_region *insert(int at, int id)
{
    if (sluice_mpi_region_count == capacity) {
        capacity = capacity * 2 + 16;
        sluice_mpi_regions = realloc(sluice_mpi_regions, capacity * sizeof *sluice_mpi_regions);
        if (sluice_mpi_regions == NULL)
            sluice_mpi_abort("no memory for %d protected regions", capacity);
    }
    struct sluice_mpi_region *region = &sluice_mpi_regions[at];
    memmove(region + 1, region, (sluice_mpi_region_count++ - at) * sizeof *region);
    *region = (struct sluice_mpi_region){.id = id};
    return region;
}

struct sluice_mpi_region *sluice_mpi_region_find(int id)
{
    const int at = place(id);
    return at < sluice_mpi_region_count && sluice_mpi_regions[at].id == id ? &sluice_mpi_regions[at]
                                                                           : NULL;
}

int sluice_mpi_region_protect(int id, void *pointer, size_t bytes)
{
    if (id < 0 || (pointer == NULL && bytes > 0))
        return -EINVAL;
    struct sluice_mpi_region *region = sluice_mpi_region_find(id);
    if (bytes == 0) {
        if (region != NULL) {
            const int at = (int)(region - sluice_mpi_regions);
            memmove(region, region + 1, (--sluice_mpi_region_count - at) * sizeof *region);
        }
        return 0;
    }
    if (region == NULL)
        region = insert(place(id), id);
    if (region->pointer != pointer || region->bytes != bytes)
        sluice_mpi_region_changes++;
    region->pointer = pointer;
    region->bytes = bytes;
    return 0;
}

struct sluice_mpi_region *sluice_mpi_region_of(const void *pointer, size_t bytes)
{
    const unsigned char *begin = pointer;
    for (int at = 0; at < sluice_mpi_region_count; at++) {
        struct sluice_mpi_region *region = &sluice_mpi_regions[at];
        if (begin >= region->pointer && begin + bytes <= region->pointer + region->bytes)
            return region;
    }
    return NULL;
}

int64_t sluice_mpi_region_bytes(void)
{
    int64_t sum = 0;
    for (int at = 0; at < sluice_mpi_region_count; at++)
        sum += (int64_t)sluice_mpi_regions[at].bytes;
    return sum;
}
