/*
 * The recent costs, for this process, of the ways out of a buffer without a chunk, in femtoseconds
 * per byte.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The factor between the two costs; io-process/README.md gives the reason. */
#define SLUICE_COSTS_DIRECT_FACTOR 4

/*
 * The factor between the cost of a chunk's memory and that of a write to the file. A write to the
 * file makes its pages, too, and copies only once.
 */
#define SLUICE_COSTS_MAKE_FACTOR 2

/* The cost of a write to a file that is assumed until this process has measured one. */
#define SLUICE_COSTS_DIRECT_ASSUMED 250000

/* The costs; written under the log's lock, read at any time. */
struct sluice_costs {
    _Atomic int64_t direct; /* cost of a write to the image's own file; 0 until one was measured */
    _Atomic int64_t wait;   /* cost of waiting for a chunk; 0 while one was free */
    _Atomic int64_t make;   /* cost of a chunk's memory; 0 until this process has made any */
    _Atomic bool cannot_make; /* this process never makes the memory of a chunk */
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

/* Adds a measurement to the cost of memory; the first one counts whole. */
static inline void sluice_costs_made(struct sluice_costs *costs, int64_t nanos, int64_t bytes)
{
    const int64_t old = atomic_load_explicit(&costs->make, memory_order_relaxed);
    const int64_t now = nanos * 1000000 / bytes;
    atomic_store_explicit(&costs->make, old == 0 ? now : old + ((now - old) >> 2),
                          memory_order_relaxed);
}

/* Adds a write to the file. The cost of memory fades, as that of waiting does. */
static inline void sluice_costs_wrote(struct sluice_costs *costs, int64_t nanos, int64_t bytes)
{
    const int64_t make = atomic_load_explicit(&costs->make, memory_order_relaxed);
    sluice_costs_add(&costs->direct, &costs->wait, nanos, bytes);
    atomic_store_explicit(&costs->make, make - (make >> 10), memory_order_relaxed);
}

/* Returns whether a large write costs less in the file than in a chunk that has no memory yet. */
static inline bool sluice_costs_shun_making(const struct sluice_costs *costs)
{
    const int64_t direct = atomic_load_explicit(&costs->direct, memory_order_relaxed);
    return atomic_load_explicit(&costs->cannot_make, memory_order_relaxed)
        || SLUICE_COSTS_MAKE_FACTOR * atomic_load_explicit(&costs->make, memory_order_relaxed)
        > (direct > 0 ? direct : SLUICE_COSTS_DIRECT_ASSUMED);
}

/* Returns whether to wait for the drain rather than write to the file. */
static inline bool sluice_costs_favour_wait(const struct sluice_costs *costs)
{
    return atomic_load_explicit(&costs->wait, memory_order_relaxed)
        < SLUICE_COSTS_DIRECT_FACTOR * atomic_load_explicit(&costs->direct, memory_order_relaxed);
}
