/* What the two ways out of a full buffer cost this process lately, in femtoseconds per byte. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* io-process/README.md says why. */
#define SLUICE_COSTS_DIRECT_FACTOR 4

/* Written under the log's lock, read at any time. */
struct sluice_costs {
    _Atomic int64_t direct; /* a write to the image's own file */
    _Atomic int64_t wait;   /* until the drain gave a chunk; nothing while one was free */
};

/*
 * A quarter of what is new. The cost of the way not taken fades, so that it is tried again some day.
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

/* Whether to wait for the drain rather than write to the file. */
static inline bool sluice_costs_favour_wait(const struct sluice_costs *costs)
{
    return atomic_load_explicit(&costs->wait, memory_order_relaxed)
        < SLUICE_COSTS_DIRECT_FACTOR * atomic_load_explicit(&costs->direct, memory_order_relaxed);
}
