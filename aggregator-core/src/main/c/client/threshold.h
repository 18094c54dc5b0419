/* The threshold: shorter writes go to the log, longer ones to the file. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "costs.h"
#include "segment.h"

/* The least threshold of the auto policy, in bytes, while any chunk is free. */
#define SLUICE_THRESHOLD_FLOOR (64 << 10)

/*
 * Returns the threshold of the auto policy in bytes. The same as AutoThreshold.java, which gives
 * the reason; golden/auto-threshold.csv checks both.
 */
static inline int64_t sluice_threshold_auto(int64_t free, int64_t count, int64_t chunk_length)
{
    if (2 * free >= count)
        return INT64_MAX;
    const int64_t share = free * chunk_length >> 3;
    return share > SLUICE_THRESHOLD_FLOOR ? share : SLUICE_THRESHOLD_FLOOR;
}

/*
 * Returns how many chunks processes may make the memory of. There may be more grants than chunks
 * without memory.
 */
static inline int64_t sluice_threshold_makeable(const struct sluice_header *header)
{
    const int64_t grants = atomic_load_explicit(&header->memory_grants, memory_order_relaxed);
    const int64_t absent = atomic_load_explicit(&header->absent_chunks, memory_order_relaxed);
    const int64_t makeable = grants < absent ? grants : absent;
    return makeable > 0 ? makeable : 0;
}

/* Returns the present threshold in bytes: writes of this length and more go direct. */
static inline int64_t sluice_threshold(const struct sluice_segment *segment,
                                       const struct sluice_costs *costs)
{
    const struct sluice_header *header = segment->header;
    if (atomic_load_explicit(&header->threshold_policy, memory_order_relaxed)
        == SLUICE_HEADER_POLICY_FIXED) {
        return atomic_load_explicit(&header->threshold, memory_order_relaxed);
    }
    const int64_t free = atomic_load_explicit(&header->free_chunks, memory_order_relaxed);
    const int64_t makeable = sluice_threshold_makeable(header);
    if (makeable > 0 && sluice_costs_shun_making(costs))
        return sluice_threshold_auto(free, segment->chunk_count, segment->chunk_length);
    return sluice_costs_favour_wait(costs)
        ? INT64_MAX
        : sluice_threshold_auto(free + makeable, segment->chunk_count, segment->chunk_length);
}
