#include "compare.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "differs.h"
#include "handle.h"
#include "layer.h"
#include "regions.h"
#include "state.h"
#include "wrappers/data.h"
#include "wrappers/real.h"
#include "wrappers/request.h"

#define LOOK 4096 /* bytes */

/* A range of memory into which MPI may write at this moment. */
struct range {
    uintptr_t low;
    uintptr_t high;
};

static struct range *ranges;
static size_t range_count;

/* The first byte that differs, and the count of those that do. */
static struct {
    int64_t bytes;
    int id;
    size_t at;
    unsigned char then;
    unsigned char now;
} found;

static void add_range(const void *buffer, int64_t count, MPI_Datatype type)
{
    int64_t low;
    int64_t high;
    sluice_mpi_bounds(count, type, &low, &high);
    ranges = realloc(ranges, (range_count + 1) * sizeof *ranges);
    if (ranges == NULL)
        sluice_mpi_abort("no memory for %zu open receives", range_count + 1);
    ranges[range_count++] = (struct range){(uintptr_t)buffer + low, (uintptr_t)buffer + high};
}

static void find_ranges(void)
{
    range_count = 0;
    for (const struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next) {
        if (one->kind == SLUICE_MPI_RECEIVE && one->active)
            add_range(one->buffer, one->count, one->type);
        for (int i = 0; one->kind == SLUICE_MPI_COLLECTIVE && i < one->results; i++)
            add_range(one->pieces[i].buffer, one->pieces[i].count, one->pieces[i].type);
    }
}

static bool is_open(const void *byte)
{
    const uintptr_t at = (uintptr_t)byte;
    for (size_t i = 0; i < range_count; i++)
        if (at >= ranges[i].low && at < ranges[i].high)
            return true;
    return false;
}

static bool may_be_request(MPI_Request value)
{
    return value == MPI_REQUEST_NULL || sluice_mpi_slot(value) != NULL
        || sluice_mpi_value(value) == sluice_mpi.former_null;
}

/* Returns whether the bytes are a request. For a word in two pieces, its present value decides. */
static bool is_request(const unsigned char *now, const unsigned char *then, size_t at,
                       size_t length)
{
    MPI_Request value;
    const size_t before = (uintptr_t)(now + at) % sizeof value;
    memcpy(&value, now + at - before, sizeof value);
    if (!may_be_request(value))
        return false;
    if (at < before || at - before + sizeof value > length)
        return true;
    memcpy(&value, then + at - before, sizeof value);
    return may_be_request(value);
}

static void look(const struct sluice_mpi_region *region, size_t begin, const unsigned char *then,
                 size_t length)
{
    const unsigned char *now = region->pointer + begin;
    for (size_t at = 0; at < length; at++) {
        const size_t some = length - at < LOOK ? length - at : LOOK;
        if (memcmp(now + at, then + at, some) == 0) {
            at += some - 1;
            continue;
        }
        for (const size_t end = at + some; at < end; at++) {
            if (now[at] == then[at] || is_open(now + at) || is_request(now, then, at, length))
                continue;
            if (found.bytes++ == 0) {
                found.id = region->id;
                found.at = begin + at;
                found.then = then[at];
                found.now = now[at];
            }
        }
        at--;
    }
}

void sluice_mpi_compare(int64_t wave, int64_t begin, int64_t spots)
{
    char line[600];
    memset(&found, 0, sizeof found);
    find_ranges();
    sluice_mpi_state_walk(wave, look);
    if (found.bytes == 0)
        return;
    snprintf(line, sizeof line,
             "byte %zu of the region with id %d is %#04x at spot %lld behind checkpoint %lld, and "
             "was %#04x in the first run; of this rank %lld protected bytes differ",
             found.at, found.id, found.now, (long long)spots, (long long)begin, found.then,
             (long long)found.bytes);
    if (sluice_mpi_differs_stops())
        sluice_mpi_abort("%s: %s", line, SLUICE_MPI_FORGOTTEN);
    sluice_mpi_say("%s: the rehearsal goes on by --differences tell", line);
}
