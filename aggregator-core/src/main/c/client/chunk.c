#include "chunk.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "copy.h"

#define HEADER_PAGE 4096 /* bytes */

/*
 * Returns the bytes of a chunk that are used. With a page for headers beyond a power of two, one
 * write of that many bytes fills a chunk, and so do shorter ones that follow each other: a chunk
 * then ends where a page of the file does.
 */
static uint32_t capacity(uint32_t length)
{
    const uint32_t beyond = length - HEADER_PAGE;
    const uint32_t payload = beyond != 0 && (beyond & (beyond - 1)) == 0
        ? beyond
        : UINT32_C(1) << (31 - __builtin_clz(length));
    const uint32_t whole = payload + SLUICE_CHUNK_HEADER_LENGTH + SLUICE_RECORD_HEADER_LENGTH;
    return whole < length ? whole : length;
}

int sluice_chunk_writer_init(struct sluice_chunk_writer *writer,
                             const struct sluice_segment *segment,
                             struct sluice_connection *connection, uint32_t slot, int rank)
{
    uint8_t *ring = segment->rings + (size_t)slot * segment->ring_length;
    *writer = (struct sluice_chunk_writer){
        .capacity = capacity(segment->chunk_length),
        .slot = segment->slots + slot,
        .rank = rank,
        .ring = {.records = (struct sluice_ring_record *)ring,
                 .trailer = (struct sluice_ring_trailer *)(ring + segment->ring_capacity),
                 .capacity = segment->ring_capacity},
    };
    sluice_lock_init(&writer->lock);
    return sluice_pool_init(&writer->pool, segment, connection, slot);
}

static uint8_t *bytes(const struct sluice_chunk_writer *writer)
{
    return (uint8_t *)writer->chunk;
}

/*
 * Publishes the bytes of the open chunk up to `used`. The I/O process may read an open chunk at any
 * time up to there. So `used` is stored with release order after all bytes before it. A process
 * killed before this store loses only the write in progress.
 */
static void set_used(struct sluice_chunk_writer *writer, uint32_t used)
{
    writer->used = used;
    atomic_store_explicit(&writer->chunk->used, (int32_t)used, memory_order_release);
}

/*
 * Claims a chunk and writes its header. `used` is 0 until the header is complete, because the I/O
 * process may look at a chunk whose process stopped or died in here. The I/O process must see
 * neither records of the chunk's former use nor an incomplete header.
 */
static int open_chunk(struct sluice_chunk_writer *writer, bool waits)
{
    const int error = sluice_pool_claim(&writer->pool, waits, &writer->index, &writer->generation);
    if (error != 0)
        return error;
    const struct sluice_segment *segment = writer->pool.segment;
    writer->chunk =
        (struct sluice_chunk *)(segment->chunks + (size_t)writer->index * segment->chunk_length);
    writer->last = NULL;
    set_used(writer, 0);
    atomic_thread_fence(memory_order_release);
    writer->chunk->session_id = segment->header->session_id;
    writer->chunk->sequence = ++writer->sequence;
    writer->chunk->slot = (int32_t)writer->pool.slot;
    writer->chunk->rank = writer->rank;
    writer->chunk->version = SLUICE_CHUNK_VERSION;
    writer->chunk->magic = SLUICE_CHUNK_MAGIC;
    set_used(writer, SLUICE_CHUNK_HEADER_LENGTH);
    return 0;
}

void sluice_chunk_ring_bell(struct sluice_chunk_writer *writer, bool urgent)
{
    const struct sluice_pool *pool = &writer->pool;
    atomic_thread_fence(memory_order_seq_cst);
    const int sleeping =
        atomic_load_explicit(&pool->segment->header->sleeping, memory_order_relaxed);
    if (sleeping != SLUICE_HEADER_AWAKE && (urgent || sleeping != SLUICE_HEADER_NAPPING))
        sluice_connection_wake(pool->connection);
}

static int put_on_ring(struct sluice_chunk_writer *writer, bool urgent,
                       const struct sluice_ring_record *record)
{
    for (unsigned round = 0; !sluice_ring_offer(&writer->ring, record); round++)
        if (!sluice_pool_pause(&writer->pool, round))
            return -EIO;
    sluice_chunk_ring_bell(writer, urgent);
    return 0;
}

int sluice_chunk_publish(struct sluice_chunk_writer *writer)
{
    if (writer->chunk == NULL)
        return 0;
    if (!sluice_pool_held(&writer->pool))
        return -EIO;
    sluice_pool_publish(&writer->pool, writer->index, writer->generation);
    const int error = put_on_ring(writer, true,
                                  &(struct sluice_ring_record){.type = SLUICE_RING_TYPE_CHUNK,
                                                               .chunk = (int32_t)writer->index,
                                                               .used = (int32_t)writer->used,
                                                               .sequence = writer->sequence,
                                                               .generation = writer->generation});
    if (error == 0) {
        writer->chunk = NULL;
        writer->last = NULL;
    }
    return error;
}

int sluice_chunk_close(struct sluice_chunk_writer *writer, bool logged, uint32_t image,
                       int64_t opened, int64_t closed)
{
    if (!sluice_pool_held(&writer->pool))
        return -EIO;
    return put_on_ring(writer, logged,
                       &(struct sluice_ring_record){.type = SLUICE_RING_TYPE_CLOSE,
                                                    .image_id = (int32_t)image,
                                                    .opened = opened,
                                                    .closed = closed});
}

static uint32_t aligned(uint32_t length)
{
    return (length + SLUICE_RECORD_ALIGNMENT - 1) & ~(uint32_t)(SLUICE_RECORD_ALIGNMENT - 1);
}

static int make_room(struct sluice_chunk_writer *writer, uint32_t payload, bool waits)
{
    if (writer->chunk != NULL
        && aligned(writer->used) + SLUICE_RECORD_HEADER_LENGTH + payload <= writer->capacity) {
        return 0;
    }
    const int error = sluice_chunk_publish(writer);
    return error == 0 ? open_chunk(writer, waits) : error;
}

/* Its bytes count once set_used() covers them. */
static void begin_record(struct sluice_chunk_writer *writer, int type, uint32_t image,
                         int64_t offset, int64_t length)
{
    const uint32_t start = aligned(writer->used);
    memset(bytes(writer) + writer->used, 0, start - writer->used);
    writer->used = start + SLUICE_RECORD_HEADER_LENGTH;
    writer->last = (struct sluice_record *)(bytes(writer) + start);
    writer->last->type = type;
    writer->last->image_id = (int32_t)image;
    writer->last->offset = offset;
    atomic_store_explicit(&writer->last->length, length, memory_order_relaxed);
}

static bool continues(const struct sluice_record *last, int type, uint32_t image, int64_t offset)
{
    return last != NULL && (uint32_t)last->image_id == image && last->type == type
        && last->offset + atomic_load_explicit(&last->length, memory_order_relaxed) == offset;
}

static void lengthen(struct sluice_record *record, int64_t length)
{
    atomic_store_explicit(&record->length,
                          atomic_load_explicit(&record->length, memory_order_relaxed) + length,
                          memory_order_relaxed);
}

/* The order of the stores is: payload, the record's length, the chunk's used length. */
static void extend(struct sluice_chunk_writer *writer, const void *data, uint32_t length)
{
    sluice_copy(bytes(writer) + writer->used, data, length);
    lengthen(writer->last, length);
    set_used(writer, writer->used + length);
}

static uint32_t smaller(size_t length, uint32_t room)
{
    return length < room ? (uint32_t)length : room;
}

ssize_t sluice_chunk_write(struct sluice_chunk_writer *writer, bool waits, uint32_t image,
                           const void *data, size_t length, int64_t offset)
{
    size_t done = 0;
    if (!sluice_pool_held(&writer->pool))
        return -EIO;
    while (done < length) {
        const int64_t at = offset + (int64_t)done;
        if (writer->used == writer->capacity
            || !continues(writer->last, SLUICE_RECORD_TYPE_WRITE, image, at)) {
            const int error = make_room(writer, 1, waits);
            if (error != 0)
                return error == -EIO && done == 0 ? error : (ssize_t)done;
            begin_record(writer, SLUICE_RECORD_TYPE_WRITE, image, at, 0);
        }
        const uint32_t count = smaller(length - done, writer->capacity - writer->used);
        extend(writer, (const char *)data + done, count);
        done += count;
    }
    return (ssize_t)done;
}

static bool goes_on(const struct sluice_chunk_writer *writer, uint32_t image, int64_t offset)
{
    return writer->used < writer->capacity
        && continues(writer->last, SLUICE_RECORD_TYPE_WRITE, image, offset);
}

void *sluice_chunk_reserve(struct sluice_chunk_writer *writer, bool waits, uint32_t image,
                           int64_t offset, size_t *room, int *error)
{
    const bool extends = goes_on(writer, image, offset);
    *error = !sluice_pool_held(&writer->pool) ? -EIO : extends ? 0 : make_room(writer, 1, waits);
    if (*error != 0)
        return NULL;
    const uint32_t place =
        extends ? writer->used : aligned(writer->used) + SLUICE_RECORD_HEADER_LENGTH;
    *room = writer->capacity - place;
    return bytes(writer) + place;
}

void sluice_chunk_fill(struct sluice_chunk_writer *writer, uint32_t image, int64_t offset,
                       uint32_t length)
{
    if (!goes_on(writer, image, offset))
        begin_record(writer, SLUICE_RECORD_TYPE_WRITE, image, offset, 0);
    lengthen(writer->last, length);
    set_used(writer, writer->used + length);
}

bool sluice_chunk_has_room(const struct sluice_chunk_writer *writer, uint32_t image, size_t length,
                           int64_t offset)
{
    if (writer->chunk == NULL)
        return false;
    const bool goes_on = continues(writer->last, SLUICE_RECORD_TYPE_WRITE, image, offset);
    const uint32_t payload =
        goes_on ? writer->used : aligned(writer->used) + SLUICE_RECORD_HEADER_LENGTH;
    return payload + length <= writer->capacity;
}

int sluice_chunk_mark(struct sluice_chunk_writer *writer, bool waits, int type, uint32_t image,
                      int64_t offset, int64_t length)
{
    if (!sluice_pool_held(&writer->pool))
        return -EIO;
    if (type == SLUICE_RECORD_TYPE_DIRECT && continues(writer->last, type, image, offset)) {
        lengthen(writer->last, length);
        return 0;
    }
    const int error = make_room(writer, 0, waits);
    if (error == 0) {
        begin_record(writer, type, image, offset, length);
        set_used(writer, writer->used);
    }
    return error;
}
