/* The producer's end of a slot's ring, Agrona's OneToOneRingBuffer with records of one size. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sluice_layout.h"

struct sluice_ring {
    struct sluice_ring_record *records;
    struct sluice_ring_trailer *trailer;
    uint32_t capacity; /* capacity in bytes */
};

/*
 * Appends a record, whose length need not be set; false when the ring is full. Called by one thread
 * at a time.
 */
bool sluice_ring_offer(struct sluice_ring *ring, const struct sluice_ring_record *content);

/*
 * Appends a record with a name behind it, in NAME records. The consumer finds both or neither.
 * False when the ring is full.
 */
bool sluice_ring_offer_named(struct sluice_ring *ring, const struct sluice_ring_record *content,
                             const char *name, size_t length);
