/*
 * The log of a process: the open chunk of its slot, and the records in it. Every function but
 * _init wants the writer's lock held.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lock.h"
#include "pool.h"
#include "ring.h"
#include "segment.h"

struct sluice_chunk_writer {
    struct sluice_lock lock;
    struct sluice_chunk *chunk; /* the open chunk, NULL for none */
    struct sluice_record *last; /* its last record, NULL for none */
    uint32_t used;              /* up to the end of the last record, without padding */
    uint32_t capacity;          /* bytes of a chunk */
    int64_t sequence;           /* of the open chunk, or of the one before */
    struct sluice_slot *slot;
    uint32_t index;
    uint32_t generation;
    int32_t rank;
    struct sluice_pool pool;
    struct sluice_ring ring;
    int64_t entered; /* position of the ring behind the last OPEN on it */
    int untaken;     /* OPENs up to there since the I/O process had taken all, at most */
    bool closed;     /* a logged image, since the I/O process was asked to hold what is closed */
};

int sluice_chunk_writer_init(struct sluice_chunk_writer *writer,
                             const struct sluice_segment *segment,
                             struct sluice_connection *connection, uint32_t slot, int rank);

/*
 * Logs a write; a long one is split over chunks. Returns how many bytes are logged, which is less
 * than `length` only when there was no chunk for the rest, or -EIO when the I/O process or the slot is gone.
 * `waits` says whether to wait for the drain before there is said to be none; here and below.
 */
ssize_t sluice_chunk_write(struct sluice_chunk_writer *writer, bool waits, uint32_t image,
                           const void *data, size_t length, int64_t offset);

/* Whether a write can be logged in the chunk that is open. */
bool sluice_chunk_has_room(const struct sluice_chunk_writer *writer, uint32_t image, size_t length,
                           int64_t offset);

/* Logs a DIRECT or TRUNCATE record; -EAGAIN when there is no chunk for it, -EIO as above. */
int sluice_chunk_mark(struct sluice_chunk_writer *writer, bool waits, int type, uint32_t image,
                      int64_t offset, int64_t length);

/*
 * Wakes the I/O process if it sleeps, behind a record on the ring. That one stores `sleeping` and
 * then looks for records. So one of the two sees the other. One that naps is woken for what is urgent only.
 */
void sluice_chunk_ring_bell(struct sluice_chunk_writer *writer, bool urgent);

/* Publishes the open chunk, if there is one: 0, or -EIO as above. */
int sluice_chunk_publish(struct sluice_chunk_writer *writer);

/* Says that one opening of the image has ended, times as in the record; as above. */
int sluice_chunk_close(struct sluice_chunk_writer *writer, bool logged, uint32_t image,
                       int64_t opened, int64_t closed);
