/* The counters of a slot. This process is their only writer, under its log's lock. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice_layout.h"

static inline void sluice_counter_add(_Atomic int64_t *counter, int64_t amount)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + amount,
                          memory_order_relaxed);
}

/* Returns the index of the counter for writes of this length. */
static inline unsigned sluice_counter_class(size_t length)
{
    static const size_t bounds[SLUICE_SLOT_SIZE_CLASSES - 1] = {
        64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20};
    unsigned size_class = 0;
    while (size_class < SLUICE_SLOT_SIZE_CLASSES - 1 && length >= bounds[size_class])
        size_class++;
    return size_class;
}
