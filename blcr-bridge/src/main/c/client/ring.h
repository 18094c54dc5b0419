/* The producer's end of a slot's ring, Agrona's OneToOneRingBuffer with records of one size. */
#ifndef SLUICE_RING_H
#define SLUICE_RING_H

#include <stdbool.h>

#include "structures.h"

struct sluice_ring {
    struct sluice_ring_record *records;
    struct sluice_ring_trailer *trailer;
    uint32_t capacity; /* bytes */
};

/* Says that a chunk is published; false when the ring is full. One thread at a time. */
bool sluice_ring_offer(struct sluice_ring *ring, int32_t chunk, int32_t used, int64_t sequence,
                       int64_t generation);

#endif
