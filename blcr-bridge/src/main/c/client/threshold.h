/* Which writes go to the log and which to the file. */
#ifndef SLUICE_THRESHOLD_H
#define SLUICE_THRESHOLD_H

#include <stdatomic.h>
#include <stdint.h>

#include "segment.h"

/* With a scarce buffer, writes of at least this size may go direct under the auto policy. */
#define SLUICE_THRESHOLD_FLOOR (64 << 10)

/*
 * Writes of this size and more go direct. Fixed: what the header says. Auto: none while half of the
 * chunks are free; then those that would take more than an eighth of what is left.
 */
static inline int64_t sluice_threshold(const struct sluice_segment *segment)
{
    const struct sluice_header *header = segment->header;
    if (atomic_load_explicit(&header->threshold_policy, memory_order_relaxed)
        == SLUICE_HEADER_POLICY_FIXED) {
        return atomic_load_explicit(&header->threshold, memory_order_relaxed);
    }
    const int64_t free = atomic_load_explicit(&header->free_chunks, memory_order_relaxed);
    if (2 * free >= segment->chunk_count) {
        return INT64_MAX;
    }
    const int64_t share = free * segment->chunk_length / 8;
    return share > SLUICE_THRESHOLD_FLOOR ? share : SLUICE_THRESHOLD_FLOOR;
}

#endif
