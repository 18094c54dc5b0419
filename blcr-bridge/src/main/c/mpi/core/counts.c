#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "wrappers/real.h"

static size_t hash(int64_t communicator, int32_t source, int32_t destination, int32_t tag)
{
    uint64_t mixed = (uint64_t)communicator * UINT64_C(0x9E3779B97F4A7C15);
    mixed ^=
        (uint64_t)(uint32_t)tag << 32 ^ (uint64_t)(uint32_t)source << 16 ^ (uint32_t)destination;
    mixed *= UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)(mixed ^ mixed >> 32);
}

/* Returns the entry of a stream, or the empty one for it. */
static struct sluice_mpi_count *place(const struct sluice_mpi_counts *counts, int64_t communicator,
                                      int32_t source, int32_t destination, int32_t tag)
{
    size_t at = hash(communicator, source, destination, tag);
    for (;; at++) {
        struct sluice_mpi_count *entry = &counts->entries[at & (counts->capacity - 1)];
        if (!entry->used
            || sluice_mpi_is_stream(&entry->stream, communicator, source, destination, tag)) {
            return entry;
        }
    }
}

static void grow(struct sluice_mpi_counts *counts)
{
    const struct sluice_mpi_counts old = *counts;
    counts->capacity = old.capacity == 0 ? 64 : old.capacity * 2;
    counts->entries = calloc(counts->capacity, sizeof *counts->entries);
    if (counts->entries == NULL)
        sluice_mpi_abort("no memory for the counts of %zu streams", counts->capacity);
    for (size_t at = 0; at < old.capacity; at++) {
        const struct sluice_mpi_count *entry = &old.entries[at];
        if (entry->used) {
            *place(counts, entry->stream.communicator, entry->stream.source,
                   entry->stream.destination, entry->stream.tag) = *entry;
        }
    }
    free(old.entries);
}

struct sluice_mpi_count *sluice_mpi_counts_find(struct sluice_mpi_counts *counts,
                                                int64_t communicator, int32_t source,
                                                int32_t destination, int32_t tag)
{
    if (counts->used * 2 >= counts->capacity)
        grow(counts);
    struct sluice_mpi_count *entry = place(counts, communicator, source, destination, tag);
    if (!entry->used) {
        *entry = (struct sluice_mpi_count){.stream = {communicator, source, destination, tag, 0},
                                           .used = true};
        counts->used++;
    }
    counts->last = entry;
    return entry;
}

int64_t sluice_mpi_counts_get(const struct sluice_mpi_counts *counts,
                              const struct sluice_mpi_stream *stream)
{
    return counts->capacity == 0
        ? 0
        : place(counts, stream->communicator, stream->source, stream->destination, stream->tag)
              ->count;
}

void sluice_mpi_counts_copy(struct sluice_mpi_counts *counts, const struct sluice_mpi_counts *from)
{
    sluice_mpi_counts_clear(counts);
    for (size_t at = 0; at < from->capacity; at++) {
        const struct sluice_mpi_stream *stream = &from->entries[at].stream;
        if (from->entries[at].used) {
            sluice_mpi_counts_find(counts, stream->communicator, stream->source,
                                   stream->destination, stream->tag)
                ->count = from->entries[at].count;
        }
    }
}

void sluice_mpi_counts_clear(struct sluice_mpi_counts *counts)
{
    free(counts->entries);
    *counts = (struct sluice_mpi_counts){0};
}

typedef bool goes(const struct sluice_mpi_count *one, int64_t which);

static void drop(struct sluice_mpi_counts *counts, goes *goes, int64_t which)
{
    const struct sluice_mpi_counts old = *counts;
    bool any = false;
    for (size_t at = 0; at < old.capacity && !any; at++)
        any = old.entries[at].used && goes(&old.entries[at], which);
    if (!any)
        return;
    *counts = (struct sluice_mpi_counts){0};
    for (size_t at = 0; at < old.capacity; at++) {
        const struct sluice_mpi_count *one = &old.entries[at];
        if (one->used && !goes(one, which)) {
            *sluice_mpi_counts_find(counts, one->stream.communicator, one->stream.source,
                                    one->stream.destination, one->stream.tag) = *one;
        }
    }
    free(old.entries);
}

static bool is_of(const struct sluice_mpi_count *one, int64_t communicator)
{
    return one->stream.communicator == communicator;
}

void sluice_mpi_counts_drop(struct sluice_mpi_counts *counts, int64_t communicator)
{
    drop(counts, is_of, communicator);
}

static bool is_over(const struct sluice_mpi_count *one, int64_t posted)
{
    return one->count == 0 && one->posted < posted;
}

void sluice_mpi_counts_forget(struct sluice_mpi_counts *counts, int64_t posted)
{
    drop(counts, is_over, posted);
}

int64_t sluice_mpi_counts_sum(const struct sluice_mpi_counts *counts)
{
    int64_t sum = 0;
    for (size_t at = 0; at < counts->capacity; at++)
        sum += counts->entries[at].count;
    return sum;
}

void sluice_mpi_counts_put(struct sluice_mpi_bytes *bytes, const struct sluice_mpi_counts *counts)
{
    int64_t streams = 0;
    for (size_t at = 0; at < counts->capacity; at++)
        streams += counts->entries[at].count != 0;
    sluice_mpi_bytes_put_i64(bytes, streams);
    for (size_t at = 0; at < counts->capacity; at++) {
        const struct sluice_mpi_count *entry = &counts->entries[at];
        if (entry->count != 0) {
            sluice_mpi_bytes_put(bytes, &entry->stream, sizeof entry->stream);
            sluice_mpi_bytes_put_i64(bytes, entry->count);
        }
    }
}

void sluice_mpi_counts_read(struct sluice_mpi_reader *reader, struct sluice_mpi_counts *counts)
{
    const int64_t streams =
        sluice_mpi_get_count(reader, sizeof(struct sluice_mpi_stream) + sizeof(int64_t));
    for (int64_t i = 0; i < streams; i++) {
        struct sluice_mpi_stream stream;
        memcpy(&stream, sluice_mpi_get(reader, sizeof stream), sizeof stream);
        sluice_mpi_counts_find(counts, stream.communicator, stream.source, stream.destination,
                               stream.tag)
            ->count = sluice_mpi_get_i64(reader);
    }
}
