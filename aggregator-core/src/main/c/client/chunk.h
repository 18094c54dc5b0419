/*
 * The log of a process: the open chunk of its slot, and the records in it. The caller of every
 * function but sluice_chunk_writer_init() holds the writer's lock.
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
    struct sluice_record *last; /* the last record of the open chunk, NULL for none */
    uint32_t used;              /* bytes up to the end of the last record, without padding */
    uint32_t capacity;          /* bytes of a chunk */
    int64_t sequence;           /* number of the open chunk, or of the last one */
    struct sluice_slot *slot;
    uint32_t index;
    uint32_t generation;
    int32_t rank;
    struct sluice_pool pool;
    struct sluice_ring ring;
    int64_t entered; /* the ring's position behind the last OPEN */
    int untaken; /* upper bound of the OPENs before `entered` that the I/O process has not taken */
    bool closed; /* a logged image was closed after the last request to hold closed files */
};

int sluice_chunk_writer_init(struct sluice_chunk_writer *writer,
                             const struct sluice_segment *segment,
                             struct sluice_connection *connection, uint32_t slot, int rank);

/*
 * Logs a write; a long one is split over chunks. `waits`: wait for the drain if no chunk is free.
 * Returns how many bytes are logged: fewer than `length` only if no chunk was there for the rest.
 * -EIO: the I/O process or the slot is gone.
 */
ssize_t sluice_chunk_write(struct sluice_chunk_writer *writer, bool waits, uint32_t image,
                           const void *data, size_t length, int64_t offset);

/*
 * Returns the place in the open chunk for bytes of the image from `offset` on, and in `room` how
 * many fit. They count once sluice_chunk_fill() says so. NULL with *error: -EAGAIN when no chunk is
 * there, -EIO as above.
 */
void *sluice_chunk_reserve(struct sluice_chunk_writer *writer, bool waits, uint32_t image,
                           int64_t offset, size_t *room, int *error);

/* Logs a write of the bytes that lie at the reserved place. */
void sluice_chunk_fill(struct sluice_chunk_writer *writer, uint32_t image, int64_t offset,
                       uint32_t length);

bool sluice_chunk_has_room(const struct sluice_chunk_writer *writer, uint32_t image, size_t length,
                           int64_t offset);

/* Logs a DIRECT or TRUNCATE record. -EAGAIN: no chunk is there for it; -EIO as above. */
int sluice_chunk_mark(struct sluice_chunk_writer *writer, bool waits, int type, uint32_t image,
                      int64_t offset, int64_t length);

/*
 * Wakes a sleeping I/O process after a record was put on the ring. Before the I/O process sleeps,
 * it stores `sleeping` and then looks for records, so one side always sees the other. A napping I/O
 * process is woken only if `urgent`.
 */
void sluice_chunk_ring_bell(struct sluice_chunk_writer *writer, bool urgent);

/* Publishes the open chunk, if there is one: 0, or -EIO as above. */
int sluice_chunk_publish(struct sluice_chunk_writer *writer);

/*
 * Reports the end of one opening of the image; times in ns of CLOCK_MONOTONIC. 0, or -EIO as above.
 */
int sluice_chunk_close(struct sluice_chunk_writer *writer, bool logged, uint32_t image,
                       int64_t opened, int64_t closed);
