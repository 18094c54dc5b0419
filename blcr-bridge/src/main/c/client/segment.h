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
    _Atomic uint64_t *chunk_states;
    uint8_t *chunks;
    size_t length;
    uint32_t slot_count;
    uint32_t ring_capacity;
    uint32_t ring_length;
    uint32_t image_count;
    uint32_t chunk_count;
    uint32_t chunk_length;
    int layout;
    bool huge; /* on huge pages, so that mapping all of it at once costs next to nothing */
};

/* What segments and requests know a device by: major << 32 | minor. */
static inline int64_t sluice_device(dev_t device)
{
    return (int64_t)major(device) << 32 | minor(device);
}

/* A path of the header, which begins with its length; empty if that makes no sense. */
static inline void sluice_segment_path(const char *field,
                                       char path[SLUICE_HEADER_MAX_PATH_LENGTH + 1])
{
    int32_t length;
    memcpy(&length, field, sizeof length);
    length = length < 0 || length > SLUICE_HEADER_MAX_PATH_LENGTH ? 0 : length;
    memcpy(path, field + sizeof length, (size_t)length);
    path[length] = '\0';
}
