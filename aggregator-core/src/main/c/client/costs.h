/*
 * The recent costs, for this process, of the two ways out of a full buffer, in femtoseconds per
 * byte.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The factor between the two costs; io-process/README.md gives the reason. */
#define SLUICE_COSTS_DIRECT_FACTOR 4

/* The costs; written under the log's lock, read at any time. */
struct sluice_costs {
    _Atomic int64_t direct; /* cost of a write to the image's own file */
    _Atomic int64_t wait;   /* cost of waiting for a chunk; 0 while one was free */
};

/*
 * Adds a measurement to the cost of the way taken, with a weight of a quarter. The cost of the
 * other way fades, so that it is tried again some day.
 */
static inline void sluice_costs_add(_Atomic int64_t *taken, _Atomic int64_t *other, int64_t nanos,
                                    int64_t bytes)
{
    const int64_t old = atomic_load_explicit(taken, memory_order_relaxed);
    const int64_t faded = atomic_load_explicit(other, memory_order_relaxed);
    atomic_store_explicit(taken, old + ((nanos * 1000000 / bytes - old) >> 2),
                          memory_order_relaxed);
    atomic_store_explicit(other, faded - (faded >> 10), memory_order_relaxed);
}

/* Returns whether to wait for the drain rather than write to the file. */
static inline bool sluice_costs_favour_wait(const struct sluice_costs *costs)
{
    return atomic_load_explicit(&costs->wait, memory_order_relaxed)
        < SLUICE_COSTS_DIRECT_FACTOR * atomic_load_explicit(&costs->direct, memory_order_relaxed);
}
