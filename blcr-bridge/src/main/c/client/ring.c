#include "ring.h"

#include <stdatomic.h>
#include <string.h>

/* A record and the zeroed header behind it, where the consumer stops. */
#define REQUIRED (SLUICE_RING_RECORD_LENGTH + SLUICE_RING_HEADER_LENGTH)

static bool has_room(struct sluice_ring *ring, int64_t tail)
{
    struct sluice_ring_trailer *trailer = ring->trailer;
    if (REQUIRED <= ring->capacity - (tail - trailer->head_cache))
        return true;
    trailer->head_cache = atomic_load_explicit(&trailer->head, memory_order_acquire);
    return REQUIRED <= ring->capacity - (tail - trailer->head_cache);
}

static void clear_header(struct sluice_ring_record *record)
{
    atomic_store_explicit(&record->length, 0, memory_order_relaxed);
    record->type = 0;
}

/*
 * The order of the stores is Agrona's: a producer that dies between any two of them leaves a record
 * of negative length, which the consumer can skip.
 */
bool sluice_ring_offer(struct sluice_ring *ring, const struct sluice_ring_record *content)
{
    const int64_t tail = atomic_load_explicit(&ring->trailer->tail, memory_order_relaxed);
    if (!has_room(ring, tail))
        return false;
    const uint32_t count = ring->capacity / SLUICE_RING_RECORD_LENGTH;
    const uint32_t index = (uint32_t)(tail / SLUICE_RING_RECORD_LENGTH) & (count - 1);
    struct sluice_ring_record *record = ring->records + index;

    atomic_store_explicit(&ring->trailer->tail, tail + SLUICE_RING_RECORD_LENGTH,
                          memory_order_release);
    clear_header(ring->records + ((index + 1) & (count - 1)));
    atomic_store_explicit(&record->length, -SLUICE_RING_RECORD_LENGTH, memory_order_release);
    atomic_thread_fence(memory_order_release);
    record->type = content->type;
    memcpy(record->body, content->body, sizeof record->body);
    atomic_store_explicit(&record->length, SLUICE_RING_RECORD_LENGTH, memory_order_release);
    return true;
}
