#include "ring.h"

#include <stdatomic.h>
#include <string.h>

/*
 * Returns whether there is room for these records, and for the zeroed header behind them, where the
 * consumer stops.
 */
static bool has_room(struct sluice_ring *ring, int64_t tail, uint32_t records)
{
    struct sluice_ring_trailer *trailer = ring->trailer;
    const int64_t required =
        (int64_t)records * SLUICE_RING_RECORD_LENGTH + SLUICE_RING_HEADER_LENGTH;
    if (required <= ring->capacity - (tail - trailer->head_cache))
        return true;
    trailer->head_cache = atomic_load_explicit(&trailer->head, memory_order_acquire);
    return required <= ring->capacity - (tail - trailer->head_cache);
}

static void clear_header(struct sluice_ring_record *record)
{
    atomic_store_explicit(&record->length, 0, memory_order_relaxed);
    record->type = 0;
}

static struct sluice_ring_record *record_at(const struct sluice_ring *ring, int64_t position)
{
    const uint32_t count = ring->capacity / SLUICE_RING_RECORD_LENGTH;
    return ring->records + ((uint32_t)(position / SLUICE_RING_RECORD_LENGTH) & (count - 1));
}

static void store(struct sluice_ring_record *record, int type, const void *body, size_t length)
{
    record->type = type;
    memcpy(record->body, body, length);
    atomic_store_explicit(&record->length, SLUICE_RING_RECORD_LENGTH, memory_order_release);
}

/*
 * Appends a record. The order of the stores is Agrona's. A producer that dies between any two of
 * them leaves a record of negative length, which the consumer can skip.
 */
bool sluice_ring_offer(struct sluice_ring *ring, const struct sluice_ring_record *content)
{
    return sluice_ring_offer_named(ring, content, NULL, 0);
}

/*
 * Appends a record and its name. The name is stored before the length of the first record, the only
 * one the consumer looks at. So the consumer finds all or nothing.
 */
bool sluice_ring_offer_named(struct sluice_ring *ring, const struct sluice_ring_record *content,
                             const char *name, size_t length)
{
    const uint32_t parts =
        (uint32_t)((length + SLUICE_RING_BODY_LENGTH - 1) / SLUICE_RING_BODY_LENGTH);
    const int64_t tail = atomic_load_explicit(&ring->trailer->tail, memory_order_relaxed);
    if (!has_room(ring, tail, 1 + parts))
        return false;
    const int64_t end = tail + (int64_t)(1 + parts) * SLUICE_RING_RECORD_LENGTH;
    struct sluice_ring_record *record = record_at(ring, tail);

    atomic_store_explicit(&ring->trailer->tail, end, memory_order_release);
    clear_header(record_at(ring, end));
    atomic_store_explicit(&record->length, -SLUICE_RING_RECORD_LENGTH, memory_order_release);
    atomic_thread_fence(memory_order_release);
    for (size_t done = 0; done < length; done += SLUICE_RING_BODY_LENGTH) {
        const size_t left = length - done;
        const int64_t position =
            tail + (int64_t)(1 + done / SLUICE_RING_BODY_LENGTH) * SLUICE_RING_RECORD_LENGTH;
        store(record_at(ring, position), SLUICE_RING_TYPE_NAME, name + done,
              left < SLUICE_RING_BODY_LENGTH ? left : SLUICE_RING_BODY_LENGTH);
    }
    store(record, content->type, content->body, sizeof content->body);
    return true;
}
