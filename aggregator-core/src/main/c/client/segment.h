/* The mapped segment, its geometry checked once and kept in this process's own memory. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "client.h"
#include "sluice_layout.h"

struct sluice_segment {
    struct sluice_header *header;
    struct sluice_slot *slots;
    uint8_t *rings;
    struct sluice_image_entry *images;
    _Atomic uint64_t *creations;
    _Atomic uint64_t *chunk_states;
    uint8_t *chunks;
    size_t length;
    uint32_t slot_count;
    uint32_t ring_capacity;
    uint32_t ring_length;
    uint32_t image_count;
    uint32_t creation_count;
    uint32_t chunk_count;
    uint32_t chunk_length;
    int layout;
    unsigned life; /* the life in which it was mapped */
    bool huge; /* the segment is on huge pages: mapping all of it at once costs next to nothing */
};

/* Returns the number of a device in segments and requests: major << 32 | minor. */
static inline int64_t sluice_device(dev_t device)
{
    return (int64_t)major(device) << 32 | minor(device);
}

/* Returns whether a process fills a checkpoint, so that all files are announced. NULL: none. */
static inline bool sluice_segment_filled(const struct sluice_segment *segment)
{
    return segment != NULL
        && atomic_load_explicit(&segment->header->filled, memory_order_acquire) != 0;
}

/* Returns the hash by which the tables of images and of creations are searched. */
static inline uint64_t sluice_image_hash(int64_t device, uint64_t inode)
{
    const uint64_t product = inode * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)device;
    return product ^ product >> 32;
}

/* Returns the first or second of the two buckets in which an image may be. */
static inline struct sluice_image_entry *sluice_image_bucket(const struct sluice_segment *segment,
                                                             uint64_t hash, bool second)
{
    const uint64_t bucket =
        (second ? hash >> 40 : hash) & (segment->image_count / SLUICE_IMAGE_BUCKET_LENGTH - 1);
    return segment->images + bucket * SLUICE_IMAGE_BUCKET_LENGTH;
}

/* Copies a path of the header, which begins with its length; empty if that makes no sense. */
static inline void sluice_segment_path(const char *field,
                                       char path[SLUICE_HEADER_MAX_PATH_LENGTH + 1])
{
    int32_t length;
    memcpy(&length, field, sizeof length);
    length = length < 0 || length > SLUICE_HEADER_MAX_PATH_LENGTH ? 0 : length;
    memcpy(path, field + sizeof length, (size_t)length);
    path[length] = '\0';
}
