#include "regions.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer.h"
#include "wrappers/real.h"

static int capacity;

/* Returns the place of a region, or the place for it. */
static int place(int id)
{
    int at = 0;
    for (int end = sluice_mpi.region_count; at < end;) {
        const int middle = at + (end - at) / 2;
        if (sluice_mpi.regions[middle].id < id)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

static struct sluice_mpi_region *insert(int at, int id)
{
    if (sluice_mpi.region_count == capacity) {
        capacity = capacity * 2 + 16;
        sluice_mpi.regions = realloc(sluice_mpi.regions, capacity * sizeof *sluice_mpi.regions);
        if (sluice_mpi.regions == NULL)
            sluice_mpi_abort("no memory for %d protected regions", capacity);
    }
    struct sluice_mpi_region *region = &sluice_mpi.regions[at];
    memmove(region + 1, region, (sluice_mpi.region_count++ - at) * sizeof *region);
    *region = (struct sluice_mpi_region){.id = id};
    return region;
}

struct sluice_mpi_region *sluice_mpi_region_find(int id)
{
    const int at = place(id);
    return at < sluice_mpi.region_count && sluice_mpi.regions[at].id == id ? &sluice_mpi.regions[at]
                                                                           : NULL;
}

int sluice_mpi_region_protect(int id, void *pointer, size_t bytes)
{
    if (id < 0 || (pointer == NULL && bytes > 0) || bytes > UINTPTR_MAX - (uintptr_t)pointer)
        return -EINVAL;
    struct sluice_mpi_region *region = sluice_mpi_region_find(id);
    if (bytes == 0) {
        if (region != NULL) {
            const int at = (int)(region - sluice_mpi.regions);
            memmove(region, region + 1, (--sluice_mpi.region_count - at) * sizeof *region);
        }
        return 0;
    }
    if (region == NULL)
        region = insert(place(id), id);
    if (region->pointer != pointer || region->bytes != bytes)
        sluice_mpi.region_changes++;
    region->pointer = pointer;
    region->bytes = bytes;
    return 0;
}

struct sluice_mpi_region *sluice_mpi_region_of(const void *pointer, size_t bytes)
{
    const unsigned char *begin = pointer;
    for (int at = 0; at < sluice_mpi.region_count; at++) {
        struct sluice_mpi_region *region = &sluice_mpi.regions[at];
        if (begin >= region->pointer && begin + bytes <= region->pointer + region->bytes)
            return region;
    }
    return NULL;
}

bool sluice_mpi_regions_hold(const void *pointer, size_t bytes)
{
    const unsigned char *at = pointer;
    const unsigned char *const end = at + bytes;
    const struct sluice_mpi_region *region = NULL;
    while (at < end && (region = sluice_mpi_region_of(at, 1)) != NULL)
        at = region->pointer + region->bytes;
    return at >= end;
}

int64_t sluice_mpi_region_bytes(void)
{
    int64_t sum = 0;
    for (int at = 0; at < sluice_mpi.region_count; at++)
        sum += (int64_t)sluice_mpi.regions[at].bytes;
    return sum;
}

void sluice_mpi_regions_replace(int64_t former, int64_t now)
{
    for (int at = 0; at < sluice_mpi.region_count; at++) {
        const struct sluice_mpi_region *region = &sluice_mpi.regions[at];
        const size_t first = -(uintptr_t)region->pointer % sizeof now;
        for (size_t i = first; i + sizeof now <= region->bytes; i += sizeof now)
            if (memcmp(region->pointer + i, &former, sizeof former) == 0)
                memcpy(region->pointer + i, &now, sizeof now);
    }
}

/* Returns whether a page can be written: the kernel adds 0 to a word, or refuses. */
static bool is_writable(uintptr_t page)
{
    uint32_t own = 0;
    return syscall(SYS_futex, &own, FUTEX_WAKE_OP, 0, 0, (void *)page,
                   FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0))
        >= 0
        || errno != EFAULT;
}

const struct sluice_mpi_region *sluice_mpi_region_within(uintptr_t low, uintptr_t high)
{
    for (int at = 0; at < sluice_mpi.region_count; at++) {
        const uintptr_t begin = (uintptr_t)sluice_mpi.regions[at].pointer;
        if (begin < high && begin + sluice_mpi.regions[at].bytes > low)
            return &sluice_mpi.regions[at];
    }
    return NULL;
}

const struct sluice_mpi_region *sluice_mpi_region_unreadable(void)
{
    FILE *mappings = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t room = 0;
    const struct sluice_mpi_region *found = NULL;
    while (mappings != NULL && found == NULL && getline(&line, &room, mappings) > 0) {
        unsigned long low;
        unsigned long high;
        char readable;
        if (sscanf(line, "%lx-%lx %c", &low, &high, &readable) == 3 && readable != 'r')
            found = sluice_mpi_region_within(low, high);
    }
    free(line);
    if (mappings != NULL)
        fclose(mappings);
    return found;
}

const char *sluice_mpi_regions_unfit(void)
{
    static char why[200];
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t fit = 0; /* small regions share pages */
    for (int at = 0; at < sluice_mpi.region_count; at++) {
        const struct sluice_mpi_region *region = &sluice_mpi.regions[at];
        const uintptr_t begin = (uintptr_t)region->pointer & -page;
        const uintptr_t end = (uintptr_t)region->pointer + region->bytes;
        if (begin == fit && end <= fit + page)
            continue;
        if (msync((void *)begin, end - begin, MS_ASYNC) != 0 && errno == ENOMEM) {
            snprintf(why, sizeof why,
                     "the memory of the region with id %d is not there any more: protect it again "
                     "where it is now, or with 0 bytes",
                     region->id);
            return why;
        }
        if (!is_writable(begin)) {
            snprintf(why, sizeof why,
                     "the memory of the region with id %d cannot be written, as a restart has to: "
                     "protect what the program changes",
                     region->id);
            return why;
        }
        fit = begin;
    }
    return NULL;
}
