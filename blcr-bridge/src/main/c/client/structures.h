/*
 * The structures of the segment as C sees them. The generated sluice_layout.h says where each field
 * is; the assertions below hold the two together. Fields that another process reads or writes
 * concurrently are _Atomic.
 */
#ifndef SLUICE_STRUCTURES_H
#define SLUICE_STRUCTURES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice_layout.h"

struct sluice_header {
    uint64_t magic;
    _Atomic int32_t version;
    int32_t pid;
    int64_t start_time;
    _Atomic int64_t session_id;
    int64_t segment_length;
    int64_t slots;
    int32_t slot_count;
    int32_t slot_length;
    int64_t rings;
    int32_t ring_capacity;
    int32_t ring_length;
    int64_t images;
    int32_t image_count;
    int32_t image_length;
    int64_t chunk_states;
    int32_t chunk_count;
    int32_t chunk_length;
    int64_t chunks;
    int32_t layout;
    int32_t barrier;
    _Atomic int32_t leases;
    _Alignas(256) _Atomic int64_t threshold;
    _Atomic int32_t threshold_policy;
    int32_t when_full;
    _Alignas(128) _Atomic int64_t free_chunks;
    _Alignas(128) _Atomic int32_t sleeping;
    _Alignas(128) _Atomic int64_t heartbeat;
    _Atomic int64_t unattached_files;
    _Alignas(1024) char store[1024];
    char capture[2048];
};

struct sluice_slot {
    _Atomic int32_t state;
    int32_t pid;
    int64_t start_time;
    int32_t rank;
    int32_t ranks;
    _Atomic int64_t generation;
    _Atomic int32_t quiet;
    _Alignas(128) _Atomic int64_t aggregated_writes[SLUICE_SLOT_SIZE_CLASSES];
    _Atomic int64_t aggregated_bytes[SLUICE_SLOT_SIZE_CLASSES];
    _Atomic int64_t direct_writes[SLUICE_SLOT_SIZE_CLASSES];
    _Atomic int64_t direct_bytes[SLUICE_SLOT_SIZE_CLASSES];
    _Atomic int64_t waits;
    _Atomic int64_t wait_nanos;
    _Atomic int64_t fallbacks;
    _Atomic int64_t overflows;
    _Atomic int32_t left;
    int8_t unused[SLUICE_SLOT_REASON_BYTES_OFFSET - SLUICE_SLOT_LEFT_OFFSET - 4];
    _Atomic int64_t reason_bytes[SLUICE_SLOT_REASONS];
    int8_t rest[SLUICE_SLOT_LENGTH - SLUICE_SLOT_REASON_BYTES_OFFSET - 8 * SLUICE_SLOT_REASONS];
};

struct sluice_ring_record {
    _Atomic int32_t length;
    int32_t type;
    union {
        struct { /* CHUNK */
            int32_t chunk;
            int32_t used;
            int64_t sequence;
            int64_t generation;
        };
        struct { /* CLOSE */
            int32_t image_id;
            int32_t reserved;
            int64_t opened;
            int64_t closed;
        };
        uint8_t body[SLUICE_RING_BODY_LENGTH];
    };
};

struct sluice_ring_trailer {
    _Alignas(128) int8_t unused[128];
    _Atomic int64_t tail;
    _Alignas(128) int64_t head_cache;
    _Alignas(128) _Atomic int64_t head;
};

struct sluice_image_entry {
    _Atomic int32_t state;
    int32_t image_id;
    _Atomic int64_t device;
    _Atomic int64_t inode;
    _Atomic int64_t size;
    _Atomic int32_t error;
    _Atomic int32_t reason;
    _Atomic int64_t direct_bytes;
    _Atomic int64_t unseen;
    int64_t unused;
};

struct sluice_chunk {
    int32_t magic;
    int32_t version;
    int64_t session_id;
    int64_t sequence;
    int32_t slot;
    int32_t rank;
    _Atomic int32_t used;
    int32_t crc;
    int64_t container_id;
    int64_t position;
    int32_t header_crc;
    int32_t unused;
};

struct sluice_record {
    int32_t type;
    int32_t image_id;
    int64_t offset;
    _Atomic int64_t length;
};

#define SLUICE_FIELD(type, field, constant)                                                        \
    static_assert(offsetof(struct type, field) == (constant), #type "." #field)

SLUICE_FIELD(sluice_header, magic, SLUICE_HEADER_MAGIC_OFFSET);
SLUICE_FIELD(sluice_header, version, SLUICE_HEADER_VERSION_OFFSET);
SLUICE_FIELD(sluice_header, pid, SLUICE_HEADER_PID_OFFSET);
SLUICE_FIELD(sluice_header, start_time, SLUICE_HEADER_START_TIME_OFFSET);
SLUICE_FIELD(sluice_header, session_id, SLUICE_HEADER_SESSION_ID_OFFSET);
SLUICE_FIELD(sluice_header, segment_length, SLUICE_HEADER_SEGMENT_LENGTH_OFFSET);
SLUICE_FIELD(sluice_header, slots, SLUICE_HEADER_SLOTS_OFFSET);
SLUICE_FIELD(sluice_header, slot_count, SLUICE_HEADER_SLOT_COUNT_OFFSET);
SLUICE_FIELD(sluice_header, slot_length, SLUICE_HEADER_SLOT_LENGTH_OFFSET);
SLUICE_FIELD(sluice_header, rings, SLUICE_HEADER_RINGS_OFFSET);
SLUICE_FIELD(sluice_header, ring_capacity, SLUICE_HEADER_RING_CAPACITY_OFFSET);
SLUICE_FIELD(sluice_header, ring_length, SLUICE_HEADER_RING_LENGTH_OFFSET);
SLUICE_FIELD(sluice_header, images, SLUICE_HEADER_IMAGES_OFFSET);
SLUICE_FIELD(sluice_header, image_count, SLUICE_HEADER_IMAGE_COUNT_OFFSET);
SLUICE_FIELD(sluice_header, image_length, SLUICE_HEADER_IMAGE_LENGTH_OFFSET);
SLUICE_FIELD(sluice_header, chunk_states, SLUICE_HEADER_CHUNK_STATES_OFFSET);
SLUICE_FIELD(sluice_header, chunk_count, SLUICE_HEADER_CHUNK_COUNT_OFFSET);
SLUICE_FIELD(sluice_header, chunk_length, SLUICE_HEADER_CHUNK_LENGTH_OFFSET);
SLUICE_FIELD(sluice_header, chunks, SLUICE_HEADER_CHUNKS_OFFSET);
SLUICE_FIELD(sluice_header, layout, SLUICE_HEADER_LAYOUT_OFFSET);
SLUICE_FIELD(sluice_header, barrier, SLUICE_HEADER_BARRIER_OFFSET);
SLUICE_FIELD(sluice_header, leases, SLUICE_HEADER_LEASES_OFFSET);
SLUICE_FIELD(sluice_header, threshold, SLUICE_HEADER_THRESHOLD_OFFSET);
SLUICE_FIELD(sluice_header, threshold_policy, SLUICE_HEADER_THRESHOLD_POLICY_OFFSET);
SLUICE_FIELD(sluice_header, when_full, SLUICE_HEADER_WHEN_FULL_OFFSET);
SLUICE_FIELD(sluice_header, free_chunks, SLUICE_HEADER_FREE_CHUNKS_OFFSET);
SLUICE_FIELD(sluice_header, sleeping, SLUICE_HEADER_SLEEPING_OFFSET);
SLUICE_FIELD(sluice_header, heartbeat, SLUICE_HEADER_HEARTBEAT_OFFSET);
SLUICE_FIELD(sluice_header, unattached_files, SLUICE_HEADER_UNATTACHED_FILES_OFFSET);
SLUICE_FIELD(sluice_header, store, SLUICE_HEADER_STORE_OFFSET);
SLUICE_FIELD(sluice_header, capture, SLUICE_HEADER_CAPTURE_OFFSET);
static_assert(sizeof(struct sluice_header) == SLUICE_HEADER_LENGTH, "sluice_header");

SLUICE_FIELD(sluice_slot, state, SLUICE_SLOT_STATE_OFFSET);
SLUICE_FIELD(sluice_slot, pid, SLUICE_SLOT_PID_OFFSET);
SLUICE_FIELD(sluice_slot, start_time, SLUICE_SLOT_START_TIME_OFFSET);
SLUICE_FIELD(sluice_slot, rank, SLUICE_SLOT_RANK_OFFSET);
SLUICE_FIELD(sluice_slot, ranks, SLUICE_SLOT_RANKS_OFFSET);
SLUICE_FIELD(sluice_slot, generation, SLUICE_SLOT_GENERATION_OFFSET);
SLUICE_FIELD(sluice_slot, quiet, SLUICE_SLOT_QUIET_OFFSET);
SLUICE_FIELD(sluice_slot, aggregated_writes, SLUICE_SLOT_AGGREGATED_WRITES_OFFSET);
SLUICE_FIELD(sluice_slot, aggregated_bytes, SLUICE_SLOT_AGGREGATED_BYTES_OFFSET);
SLUICE_FIELD(sluice_slot, direct_writes, SLUICE_SLOT_DIRECT_WRITES_OFFSET);
SLUICE_FIELD(sluice_slot, direct_bytes, SLUICE_SLOT_DIRECT_BYTES_OFFSET);
SLUICE_FIELD(sluice_slot, waits, SLUICE_SLOT_WAITS_OFFSET);
SLUICE_FIELD(sluice_slot, wait_nanos, SLUICE_SLOT_WAIT_NANOS_OFFSET);
SLUICE_FIELD(sluice_slot, fallbacks, SLUICE_SLOT_FALLBACKS_OFFSET);
SLUICE_FIELD(sluice_slot, overflows, SLUICE_SLOT_OVERFLOWS_OFFSET);
SLUICE_FIELD(sluice_slot, left, SLUICE_SLOT_LEFT_OFFSET);
SLUICE_FIELD(sluice_slot, reason_bytes, SLUICE_SLOT_REASON_BYTES_OFFSET);
static_assert(sizeof(struct sluice_slot) == SLUICE_SLOT_LENGTH, "sluice_slot");

#define SLUICE_RING_HEADER_LENGTH 8
SLUICE_FIELD(sluice_ring_record, length, 0);
SLUICE_FIELD(sluice_ring_record, type, 4);
SLUICE_FIELD(sluice_ring_record, chunk, SLUICE_RING_HEADER_LENGTH + SLUICE_RING_CHUNK_OFFSET);
SLUICE_FIELD(sluice_ring_record, used, SLUICE_RING_HEADER_LENGTH + SLUICE_RING_USED_OFFSET);
SLUICE_FIELD(sluice_ring_record, sequence, SLUICE_RING_HEADER_LENGTH + SLUICE_RING_SEQUENCE_OFFSET);
SLUICE_FIELD(sluice_ring_record, generation,
             SLUICE_RING_HEADER_LENGTH + SLUICE_RING_GENERATION_OFFSET);
SLUICE_FIELD(sluice_ring_record, image_id, SLUICE_RING_HEADER_LENGTH + SLUICE_RING_IMAGE_ID_OFFSET);
SLUICE_FIELD(sluice_ring_record, opened, SLUICE_RING_HEADER_LENGTH + SLUICE_RING_OPENED_OFFSET);
SLUICE_FIELD(sluice_ring_record, closed, SLUICE_RING_HEADER_LENGTH + SLUICE_RING_CLOSED_OFFSET);
static_assert(sizeof(struct sluice_ring_record) == SLUICE_RING_RECORD_LENGTH, "sluice_ring_record");
SLUICE_FIELD(sluice_ring_trailer, tail, SLUICE_RING_TAIL_POSITION_OFFSET);
SLUICE_FIELD(sluice_ring_trailer, head_cache, SLUICE_RING_HEAD_CACHE_POSITION_OFFSET);
SLUICE_FIELD(sluice_ring_trailer, head, SLUICE_RING_HEAD_POSITION_OFFSET);

SLUICE_FIELD(sluice_image_entry, state, SLUICE_IMAGE_STATE_OFFSET);
SLUICE_FIELD(sluice_image_entry, image_id, SLUICE_IMAGE_IMAGE_ID_OFFSET);
SLUICE_FIELD(sluice_image_entry, device, SLUICE_IMAGE_DEVICE_OFFSET);
SLUICE_FIELD(sluice_image_entry, inode, SLUICE_IMAGE_INODE_OFFSET);
SLUICE_FIELD(sluice_image_entry, size, SLUICE_IMAGE_SIZE_OFFSET);
SLUICE_FIELD(sluice_image_entry, error, SLUICE_IMAGE_ERROR_OFFSET);
SLUICE_FIELD(sluice_image_entry, reason, SLUICE_IMAGE_REASON_OFFSET);
SLUICE_FIELD(sluice_image_entry, direct_bytes, SLUICE_IMAGE_DIRECT_BYTES_OFFSET);
SLUICE_FIELD(sluice_image_entry, unseen, SLUICE_IMAGE_UNSEEN_OFFSET);
static_assert(sizeof(struct sluice_image_entry) == SLUICE_IMAGE_LENGTH, "sluice_image_entry");
static_assert(sizeof(struct sluice_image_entry) == SLUICE_IMAGE_LENGTH, "sluice_image_entry");

SLUICE_FIELD(sluice_chunk, magic, SLUICE_CHUNK_MAGIC_OFFSET);
SLUICE_FIELD(sluice_chunk, version, SLUICE_CHUNK_VERSION_OFFSET);
SLUICE_FIELD(sluice_chunk, session_id, SLUICE_CHUNK_SESSION_ID_OFFSET);
SLUICE_FIELD(sluice_chunk, sequence, SLUICE_CHUNK_SEQUENCE_OFFSET);
SLUICE_FIELD(sluice_chunk, slot, SLUICE_CHUNK_SLOT_OFFSET);
SLUICE_FIELD(sluice_chunk, rank, SLUICE_CHUNK_RANK_OFFSET);
SLUICE_FIELD(sluice_chunk, used, SLUICE_CHUNK_USED_OFFSET);
SLUICE_FIELD(sluice_chunk, crc, SLUICE_CHUNK_CRC_OFFSET);
SLUICE_FIELD(sluice_chunk, container_id, SLUICE_CHUNK_CONTAINER_ID_OFFSET);
SLUICE_FIELD(sluice_chunk, position, SLUICE_CHUNK_POSITION_OFFSET);
SLUICE_FIELD(sluice_chunk, header_crc, SLUICE_CHUNK_HEADER_CRC_OFFSET);
static_assert(sizeof(struct sluice_chunk) == SLUICE_CHUNK_HEADER_LENGTH, "sluice_chunk");

SLUICE_FIELD(sluice_record, type, SLUICE_RECORD_TYPE_OFFSET);
SLUICE_FIELD(sluice_record, image_id, SLUICE_RECORD_IMAGE_ID_OFFSET);
SLUICE_FIELD(sluice_record, offset, SLUICE_RECORD_OFFSET_OFFSET);
SLUICE_FIELD(sluice_record, length, SLUICE_RECORD_LENGTH_OFFSET);
static_assert(sizeof(struct sluice_record) == SLUICE_RECORD_HEADER_LENGTH, "sluice_record");

#endif
