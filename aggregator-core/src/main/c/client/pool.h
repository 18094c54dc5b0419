/* The chunk pool: which chunks are free, and how this process comes to own one. */
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
    uint64_t *populated; /* one bit per chunk that has page table entries in this process */
    uint32_t slot;
    uint32_t last; /* chunk claimed last; the next search begins there, where caches are warm */
    struct sluice_costs costs;
    uint64_t starved; /* 1 + the releases seen when a wait was given up last; 0 for never */
};

int sluice_pool_init(struct sluice_pool *pool, const struct sluice_segment *segment,
                     struct sluice_connection *connection, uint32_t slot);
void sluice_pool_destroy(struct sluice_pool *pool);

/* Whether the slot still is this process's, so that it may store into the segment. */
static inline bool sluice_pool_held(const struct sluice_pool *pool)
{
    return sluice_hold_valid((struct sluice_hold *)&pool->hold);
}

/*
 * Claims a chunk and makes sure that touching it takes no page fault. With `waits` it waits for one
 * while the I/O process releases any. -EAGAIN when there is none, after a second without a release
 * or at once; -EIO when the I/O process or the slot is gone. One thread at a time.
 */
int sluice_pool_claim(struct sluice_pool *pool, bool waits, uint32_t *chunk, uint32_t *generation);

/*
 * Whether the I/O process has yet to make the memory of a chunk that is not in use: then a larger buffer
 * would not help who finds no chunk. An instant's answer.
 */
bool sluice_pool_lacks_memory(const struct sluice_pool *pool);

/* As sluice_connection_pause; false also when the slot was lost meanwhile. */
bool sluice_pool_pause(const struct sluice_pool *pool, unsigned round);

/* OPEN to PUBLISHED; everything in the chunk must be stored before. */
void sluice_pool_publish(struct sluice_pool *pool, uint32_t chunk, uint32_t generation);
