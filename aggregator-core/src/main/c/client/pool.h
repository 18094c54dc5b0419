/* The chunk pool: the free chunks, and the claim by which this process comes to own one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "connection.h"
#include "costs.h"
#include "hold.h"
#include "segment.h"

struct sluice_pool {
    const struct sluice_segment *segment;
    struct sluice_connection *connection;
    struct sluice_hold hold;
    uint64_t *populated; /* a bit per chunk that has page table entries in this process */
    uint32_t slot;
    uint32_t last; /* the last chunk claimed; the next search begins there, where caches are warm */
    struct sluice_costs costs;
    uint64_t starved; /* 1 + the count of releases at the last vain wait; 0 for never */
};

int sluice_pool_init(struct sluice_pool *pool, const struct sluice_segment *segment,
                     struct sluice_connection *connection, uint32_t slot);
void sluice_pool_destroy(struct sluice_pool *pool);

/* Returns whether the slot is still this process's, so that it may store into the segment. */
static inline bool sluice_pool_held(const struct sluice_pool *pool)
{
    return sluice_hold_valid((struct sluice_hold *)&pool->hold);
}

/*
 * Claims a chunk and makes sure that touching it takes no page fault. With `waits`, waits while the
 * I/O process releases any. Called by one thread at a time. -EAGAIN: no chunk is free, after a
 * second without a release, or at once without `waits`. -EIO: the I/O process or the slot is gone.
 */
int sluice_pool_claim(struct sluice_pool *pool, bool waits, uint32_t *chunk, uint32_t *generation);

/*
 * Returns whether some chunk is without memory. A larger buffer would not help a write without a
 * chunk then. The answer is momentary.
 */
bool sluice_pool_lacks_memory(const struct sluice_pool *pool);

/* Pauses as sluice_connection_pause() does; false also when the slot was lost meanwhile. */
bool sluice_pool_pause(const struct sluice_pool *pool, unsigned round);

/* Turns a chunk from OPEN to PUBLISHED, after everything in the chunk was stored. */
void sluice_pool_publish(struct sluice_pool *pool, uint32_t chunk, uint32_t generation);
