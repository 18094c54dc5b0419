#include "differs.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "layer.h"
#include "regions.h"
#include "stream.h"
#include "wrappers/data.h"
#include "wrappers/real.h"

static int64_t differences;

bool sluice_mpi_differs_stops(void)
{
    const char *told = getenv("SLUICE_MPI_DIFFERENCES");
    return told == NULL || strcmp(told, "tell") != 0;
}

/* Returns whether a byte is on a stack, by the kernel's list of mappings. */
static bool is_on_stack(const void *byte)
{
    FILE *mappings = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    bool stack = false;
    while (mappings != NULL && !found && getline(&line, &room, mappings) > 0) {
        unsigned long low;
        unsigned long high;
        found = sscanf(line, "%lx-%lx", &low, &high) == 2 && (uintptr_t)byte - low < high - low;
        stack = found && strstr(line, "[stack") != NULL;
    }
    free(line);
    if (mappings != NULL)
        fclose(mappings);
    return stack;
}

/* Names the owner of the memory: a region, the stack, or another. */
static void describe_owner(const void *byte, char *text, size_t room)
{
    Dl_info object;
    const struct sluice_mpi_region *region = sluice_mpi_region_of(byte, 1);
    if (region != NULL) {
        snprintf(text, room, "byte %td of the region with id %d",
                 (const unsigned char *)byte - region->pointer, region->id);
        return;
    }
    if (dladdr(byte, &object) != 0) {
        const char *slash = strrchr(object.dli_fname, '/');
        snprintf(text, room, "in static memory of %.100s, which is not protected",
                 slash != NULL ? slash + 1 : object.dli_fname);
    } else if (is_on_stack(byte)) {
        snprintf(text, room, "on the stack, which is not protected");
    } else {
        snprintf(text, room, "in memory of malloc() or the like, which is not protected");
    }
}

/* Returns the address of a byte of the packed data; NULL where it is unknown. */
static const unsigned char *address_of(int64_t at, const void *buffer, int64_t count,
                                       MPI_Datatype type)
{
    const unsigned char *whole = sluice_mpi_contiguous(buffer, count, type);
    if (whole != NULL)
        return whole + at;
    int64_t low;
    int64_t high;
    sluice_mpi_bounds(count, type, &low, &high);
    const int64_t bytes = sluice_mpi_packed(count, type);
    unsigned char *packed = calloc(bytes + 1, 1);
    unsigned char *spread = calloc(high - low + 1, 1);
    const unsigned char *found = NULL;
    if (packed != NULL && spread != NULL) {
        packed[at] = 1;
        sluice_mpi_unpack(packed, bytes, spread - low, count, type);
        const unsigned char *marked = memchr(spread, 1, high - low);
        if (marked != NULL)
            found = (const unsigned char *)buffer + low + (marked - spread);
    }
    free(packed);
    free(spread);
    return found;
}

/* Returns the place of the first byte that differs; -1 where it is unknown. */
static int64_t first_of(const void *buffer, int64_t count, MPI_Datatype type,
                        const unsigned char *was)
{
    const int64_t bytes = sluice_mpi_packed(count, type);
    unsigned char *now = was != NULL ? malloc(bytes + 1) : NULL;
    int64_t at = -1;
    if (now != NULL && sluice_mpi_pack(buffer, count, type, now) == MPI_SUCCESS) {
        at = 0;
        while (at < bytes && now[at] == was[at])
            at++;
    }
    free(now);
    return at < bytes ? at : -1;
}

static void describe(const void *buffer, int64_t count, MPI_Datatype type, const unsigned char *was,
                     char *text, size_t room)
{
    char owner[200];
    const int64_t at = first_of(buffer, count, type, was);
    const unsigned char *byte = address_of(at < 0 ? 0 : at, buffer, count, type);
    snprintf(owner, sizeof owner, "at a place that is not known");
    if (byte != NULL)
        describe_owner(byte, owner, sizeof owner);
    if (at < 0) {
        snprintf(text, room, "its %lld bytes begin %s%s", (long long)sluice_mpi_packed(count, type),
                 strncmp(owner, "byte", 4) == 0 ? "at " : "", owner);
    } else {
        snprintf(text, room, "first in byte %lld of %lld, %s%s", (long long)at,
                 (long long)sluice_mpi_packed(count, type),
                 strncmp(owner, "byte", 4) == 0 ? "which is " : "which lies ", owner);
    }
}

void sluice_mpi_differs(const char *what, const void *buffer, int64_t count, MPI_Datatype type,
                        const unsigned char *was)
{
    char where[400];
    differences++;
    if (!sluice_mpi_differs_stops() && differences > 1)
        return;
    describe(buffer, count, type, was, where, sizeof where);
    if (sluice_mpi_differs_stops()) {
        sluice_mpi_abort(
            "%s differs from its first sending, %s. Memory that the program needs and does not "
            "protect does that, or bytes that are sent and never used: corners of a halo, padding "
            "of a struct. Nothing is lost: if they are not used, go on from the same checkpoint "
            "with --differences tell; else protect what is missing, and begin anew in another "
            "--store",
            what, where);
    }
    sluice_mpi_say("%s differs from its first sending, %s: the job goes on by --differences tell",
                   what, where);
}

void sluice_mpi_differs_end(void)
{
    int64_t all[2] = {0};
    const int64_t mine[2] = {differences, differences > 0};
    if (sluice_mpi_differs_stops())
        return;
    real.Reduce(mine, all, 2, MPI_INT64_T, MPI_SUM, 0, sluice_mpi.control);
    if (sluice_mpi.rank == 0 && all[0] > 0) {
        sluice_mpi_say("%lld messages or collectives of %lld ranks differed from their first "
                       "sending since the restart",
                       (long long)all[0], (long long)all[1]);
    }
}
