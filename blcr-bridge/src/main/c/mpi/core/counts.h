/*
 * Counts of messages by stream: a hash table with open addressing. A pointer to an entry is good
 * until the next new stream.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

/* A stream of messages. Ranks are those in the world. */
struct sluice_mpi_stream {
    int64_t communicator;
    int32_t source;
    int32_t destination;
    int32_t tag;
    int32_t nothing;
};

struct sluice_mpi_count {
    struct sluice_mpi_stream stream;
    int64_t count;
    int64_t posted; /* of receives: the place of the last posted one that is complete */
    bool used;
};

/* A table of counts; begins with zeros. */
struct sluice_mpi_counts {
    struct sluice_mpi_count *entries;
    size_t capacity; /* a power of two, or 0 */
    size_t used;
    struct sluice_mpi_count *last;
};

static inline bool sluice_mpi_is_stream(const struct sluice_mpi_stream *stream,
                                        int64_t communicator, int32_t source, int32_t destination,
                                        int32_t tag)
{
    return stream->tag == tag && stream->source == source && stream->destination == destination
        && stream->communicator == communicator;
}

/* Returns the entry of a stream; a new one has 0. */
struct sluice_mpi_count *sluice_mpi_counts_find(struct sluice_mpi_counts *counts,
                                                int64_t communicator, int32_t source,
                                                int32_t destination, int32_t tag);

static inline struct sluice_mpi_count *sluice_mpi_counts_of(struct sluice_mpi_counts *counts,
                                                            int64_t communicator, int32_t source,
                                                            int32_t destination, int32_t tag)
{
    struct sluice_mpi_count *last = counts->last;
    return __builtin_expect(
               last != NULL
                   && sluice_mpi_is_stream(&last->stream, communicator, source, destination, tag),
               1)
        ? last
        : sluice_mpi_counts_find(counts, communicator, source, destination, tag);
}

/* Returns the count of a stream; 0 without adding one that is missing. */
int64_t sluice_mpi_counts_get(const struct sluice_mpi_counts *counts,
                              const struct sluice_mpi_stream *stream);

/* Copies all counts of another table. */
void sluice_mpi_counts_copy(struct sluice_mpi_counts *counts, const struct sluice_mpi_counts *from);

void sluice_mpi_counts_clear(struct sluice_mpi_counts *counts);

/* Forgets the streams of a communicator. */
void sluice_mpi_counts_drop(struct sluice_mpi_counts *counts, int64_t communicator);

/* Forgets streams with a count of 0, unless a receive posted at this place or later is complete. */
void sluice_mpi_counts_forget(struct sluice_mpi_counts *counts, int64_t posted);

/* Returns the sum of all counts. */
int64_t sluice_mpi_counts_sum(const struct sluice_mpi_counts *counts);

/*
 * Writes the counts for messages: the number of streams, then each stream with its count. Streams
 * with 0 are left out.
 */
void sluice_mpi_counts_put(struct sluice_mpi_bytes *bytes, const struct sluice_mpi_counts *counts);
void sluice_mpi_counts_read(struct sluice_mpi_reader *reader, struct sluice_mpi_counts *counts);
