#include "fake_internal.h"

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void apply_to_file(struct fake_image *image, struct sluice_record *record, int64_t length)
{
    const uint8_t *payload = (const uint8_t *)(record + 1);
    if (record->type == SLUICE_RECORD_TYPE_WRITE)
        MUST(pwrite(image->fd, payload, (size_t)length, record->offset) == length);
    else if (record->type == SLUICE_RECORD_TYPE_TRUNCATE)
        MUST(ftruncate(image->fd, record->offset) == 0);
}

static void apply_to_overlay(struct fake_image *image, struct sluice_record *record, int64_t length)
{
    const uint8_t *payload = (const uint8_t *)(record + 1);
    const bool write = record->type == SLUICE_RECORD_TYPE_WRITE;
    const int64_t end =
        record->type == SLUICE_RECORD_TYPE_TRUNCATE ? image->overlaid : record->offset + length;
    MUST(record->offset >= 0 && end <= FAKE_IMAGE_LIMIT);
    image->overlaid = end > image->overlaid ? end : image->overlaid;
    for (int64_t at = record->offset; at < end; at++)
        image->overlay[at] = write ? payload[at - record->offset] : -1;
}

static void apply(struct fake_io_process *iop, struct sluice_record *record, int64_t length)
{
    for (int i = 0; i < iop->image_count; i++) {
        struct fake_image *image = iop->images + i;
        if (image->entry->image_id == record->image_id) {
            if (iop->geometry.layout == SLUICE_HEADER_LAYOUT_FILES)
                apply_to_file(image, record, length);
            else
                apply_to_overlay(image, record, length);
            return;
        }
    }
    fake_must(false, "record of an unknown image");
}

/* Applies the records of a chunk up to `used`, from where an earlier look at it ended. */
static void apply_chunk(struct fake_io_process *iop, int slot, struct sluice_chunk *chunk,
                        uint32_t used)
{
    const int64_t index =
        ((uint8_t *)chunk - iop->base - iop->header->chunks) / iop->geometry.chunk_length;
    const uint32_t generation = (uint32_t)(atomic_load(&iop->states[index]) >> 32);
    struct fake_mark *mark = iop->marks + index;
    if (mark->generation != generation)
        *mark = (struct fake_mark){generation, 0};
    MUST(chunk->magic == SLUICE_CHUNK_MAGIC && chunk->slot == slot);
    MUST(used <= (uint32_t)iop->geometry.chunk_length);
    uint32_t at = SLUICE_CHUNK_HEADER_LENGTH;
    while (at + SLUICE_RECORD_HEADER_LENGTH <= used) {
        struct sluice_record *record = (struct sluice_record *)((uint8_t *)chunk + at);
        const uint32_t payload = at + SLUICE_RECORD_HEADER_LENGTH;
        int64_t length = atomic_load(&record->length);
        if (record->type == SLUICE_RECORD_TYPE_WRITE && length > used - payload)
            length = used - payload;
        const uint32_t end =
            payload + (record->type == SLUICE_RECORD_TYPE_WRITE ? (uint32_t)length : 0);
        /* A record that grew is applied whole once more, which changes nothing. */
        if (end > mark->applied)
            apply(iop, record, length);
        at = (end + 7) & ~7U;
    }
    mark->applied = used;
}

static struct sluice_chunk *chunk_at(struct fake_io_process *iop, int32_t index)
{
    MUST(index >= 0 && index < iop->geometry.chunk_count);
    return (struct sluice_chunk *)(iop->base + iop->header->chunks
                                   + (int64_t)index * iop->geometry.chunk_length);
}

static void release(struct fake_io_process *iop, int32_t index)
{
    const uint64_t state = atomic_load(&iop->states[index]);
    MUST((state & 0xff) == SLUICE_CHUNK_STATE_PUBLISHED);
    atomic_store(&chunk_at(iop, index)->used, 0);
    atomic_store(&iop->states[index], ((state >> 32) + 1) << 32);
    atomic_fetch_add(&iop->header->free_chunks, 1);
    iop->released++;
}

static void pass(struct fake_io_process *iop, int slot, struct sluice_ring_trailer *trailer,
                 struct sluice_ring_record *record)
{
    memset((void *)record, 0, sizeof *record);
    iop->head[slot] += sizeof *record;
    atomic_store(&trailer->head, iop->head[slot]);
}

static void drain_ring(struct fake_io_process *iop, int slot)
{
    uint8_t *ring = iop->base + iop->header->rings + (int64_t)slot * iop->header->ring_length;
    struct sluice_ring_trailer *trailer = (struct sluice_ring_trailer *)(ring + FAKE_RING_CAPACITY);
    for (;;) {
        struct sluice_ring_record *record =
            (struct sluice_ring_record *)(ring + (iop->head[slot] & (FAKE_RING_CAPACITY - 1)));
        if (atomic_load(&record->length) <= 0)
            return;
        MUST(record->length == 32);
        if (record->type == SLUICE_RING_TYPE_CLOSE) {
            pass(iop, slot, trailer, record);
            continue;
        }
        MUST(record->type == SLUICE_RING_TYPE_CHUNK);
        struct sluice_chunk *chunk = chunk_at(iop, record->chunk);
        MUST(chunk->sequence == record->sequence
             && (uint64_t)record->generation == atomic_load(&iop->states[record->chunk]) >> 32);
        MUST(atomic_load(&chunk->used) == record->used);
        if (!iop->careless)
            apply_chunk(iop, slot, chunk, (uint32_t)record->used);
        const int32_t index = record->chunk;
        pass(iop, slot, trailer, record);
        release(iop, index);
    }
}

void fake_drain_rings(struct fake_io_process *iop)
{
    for (int slot = 0; slot < iop->client_count; slot++)
        drain_ring(iop, slot);
}

static int by_sequence(const void *one, const void *other)
{
    const int64_t first = (*(struct sluice_chunk *const *)one)->sequence;
    const int64_t second = (*(struct sluice_chunk *const *)other)->sequence;
    return first < second ? -1 : first > second;
}

/* Chunks that are open, or published without being on the ring yet, in program order. */
static void apply_unpublished_chunks(struct fake_io_process *iop, int slot)
{
    struct sluice_chunk *chunks[iop->geometry.chunk_count];
    size_t count = 0;
    for (int32_t i = 0; i < iop->geometry.chunk_count; i++) {
        const uint64_t state = atomic_load(&iop->states[i]);
        if ((state & 0xff) != SLUICE_CHUNK_STATE_FREE && (int)(state >> 8 & 0xffffff) == slot
            && atomic_load(&chunk_at(iop, i)->used) > SLUICE_CHUNK_HEADER_LENGTH) {
            chunks[count++] = chunk_at(iop, i);
        }
    }
    qsort(chunks, count, sizeof *chunks, by_sequence);
    for (size_t i = 0; i < count; i++)
        apply_chunk(iop, slot, chunks[i], (uint32_t)atomic_load(&chunks[i]->used));
}

static void flush_overlay(struct fake_image *image)
{
    for (int64_t at = 0; at < image->overlaid; at++) {
        if (image->overlay[at] >= 0) {
            const uint8_t byte = (uint8_t)image->overlay[at];
            MUST(pwrite(image->fd, &byte, 1, at) == 1);
            image->overlay[at] = -1;
        }
    }
    image->overlaid = 0;
}

/* Nothing goes to the file before every record is known: a later one may say DIRECT. */
void fake_settle(struct fake_io_process *iop, struct fake_image *image)
{
    fake_drain_rings(iop);
    for (int slot = 0; slot < iop->client_count; slot++)
        apply_unpublished_chunks(iop, slot);
    flush_overlay(image);
}

void fake_make_direct(struct fake_io_process *iop, struct fake_image *image)
{
    pthread_mutex_lock(&iop->lock);
    atomic_store(&image->entry->state, SLUICE_IMAGE_STATE_DIRECT);
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
    fake_settle(iop, image);
    pthread_mutex_unlock(&iop->lock);
}

void fake_dismiss(struct fake_io_process *iop, struct fake_image *image)
{
    char socket[sizeof iop->directory + 8];
    snprintf(socket, sizeof socket, "%s/socket", iop->directory);
    MUST(unlink(socket) == 0);
    atomic_store(&image->entry->reason, SLUICE_REASON_LOST | SLUICE_IMAGE_REASON_SETTLING);
    atomic_store(&iop->slots[0].state, SLUICE_SLOT_STATE_FREE);
    fake_make_direct(iop, image);
    usleep(1000);
    atomic_store(&image->entry->reason, SLUICE_REASON_LOST);
}

uint8_t *fake_rebuild(struct fake_io_process *iop, struct fake_image *image, int64_t *size)
{
    pthread_mutex_lock(&iop->lock);
    fake_drain_rings(iop);
    struct stat status;
    MUST(fstat(image->fd, &status) == 0);
    *size = atomic_load(&image->entry->state) == SLUICE_IMAGE_STATE_DIRECT
        ? status.st_size
        : atomic_load(&image->entry->size);
    uint8_t *content = calloc(1, (size_t)*size + 1);
    MUST(pread(image->fd, content, (size_t)*size, 0) >= 0);
    for (int64_t at = 0; at < *size; at++)
        content[at] = image->overlay[at] >= 0 ? (uint8_t)image->overlay[at] : content[at];
    pthread_mutex_unlock(&iop->lock);
    return content;
}
