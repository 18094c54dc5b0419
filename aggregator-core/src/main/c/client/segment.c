#include "segment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "failure.h"
#include "kernel.h"
#include "layout.h"
#include "memory.h"
#include "presence.h"

/* The longest wait for a segment in the making, in milliseconds. */
#define CREATION_TIMEOUT 2000

#define HUGE_PAGE (2 << 20)

static bool power_of_two(int64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

/*
 * Returns whether `count` elements of `length` bytes at `offset` lie between `*end` and `limit`.
 * Moves `*end` behind them.
 */
static bool follows(int64_t *end, int64_t offset, int64_t count, int64_t length, int64_t limit)
{
    if (offset < *end || offset > limit || offset % 64 != 0 || count <= 0 || length <= 0
        || count > (limit - offset) / length) {
        return false;
    }
    *end = offset + count * length;
    return true;
}

/* Returns whether every structure fits into a segment of this many bytes. */
static bool geometry_valid(const struct sluice_header *header, int64_t file_length)
{
    const int64_t limit = header->segment_length;
    int64_t end = SLUICE_HEADER_LENGTH;
    return limit <= file_length && header->slot_length == SLUICE_SLOT_LENGTH
        && header->ring_capacity >= 2 * SLUICE_RING_RECORD_LENGTH
        && power_of_two(header->ring_capacity)
        && header->ring_length == header->ring_capacity + SLUICE_RING_LENGTH - SLUICE_RING_CAPACITY
        && header->image_length == SLUICE_IMAGE_LENGTH && power_of_two(header->image_count)
        && header->image_count % SLUICE_IMAGE_BUCKET_LENGTH == 0 && header->chunk_length >= 4096
        && header->chunk_length % 4096 == 0
        && follows(&end, header->slots, header->slot_count, header->slot_length, limit)
        && follows(&end, header->rings, header->slot_count, header->ring_length, limit)
        && follows(&end, header->images, header->image_count, header->image_length, limit)
        && power_of_two(header->creation_count)
        && follows(&end, header->creations, header->creation_count, SLUICE_CREATION_LENGTH, limit)
        && follows(&end, header->chunk_states, header->chunk_count, SLUICE_CHUNK_STATE_LENGTH,
                   limit)
        && header->chunks % 4096 == 0
        && follows(&end, header->chunks, header->chunk_count, header->chunk_length, limit)
        && sluice_layout_is_known(header);
}

/*
 * Reads the header once its version is published. A mapping would not do: the file may be too
 * short.
 */
static int read_header(int fd, const char *path, struct sluice_header *header)
{
    for (int waited = 0; waited < CREATION_TIMEOUT; waited++) {
        const ssize_t got = sluice_kernel_pread(fd, header, sizeof *header, 0);
        if (got < 0) {
            return sluice_failure((int)-got, "cannot read segment %s: %s", path,
                                  sluice_failure_reason((int)-got));
        }
        if (got == sizeof *header && header->version != 0)
            return 0;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return sluice_failure(EBADMSG, "segment %s is not complete; is its I/O process alive?", path);
}

static int check_header(const struct sluice_header *header, const char *path, int64_t file_length)
{
    if (header->magic != SLUICE_HEADER_MAGIC)
        return sluice_failure(EBADMSG, "%s is not a segment of Sluice", path);
    if (header->version != SLUICE_HEADER_VERSION) {
        return sluice_failure(EPROTONOSUPPORT,
                              "segment %s has version %d, this client needs %d; use the client of "
                              "the same release as the I/O process",
                              path, header->version, SLUICE_HEADER_VERSION);
    }
    if (!geometry_valid(header, file_length)) {
        return sluice_failure(EBADMSG,
                              "segment %s is damaged: its geometry does not fit its %lld bytes",
                              path, (long long)file_length);
    }
    return 0;
}

static int map_file(int fd, const char *path, struct sluice_segment **segment)
{
    struct sluice_header header;
    int error = read_header(fd, path, &header);
    if (error == 0)
        error = check_header(&header, path, sluice_kernel_length(fd));
    if (error != 0)
        return error;
    struct sluice_segment *mapped = sluice_memory_take(sizeof *mapped);
    if (mapped == NULL)
        return sluice_failure(ENOMEM, "no memory to describe segment %s", path);
    /* The whole file is mapped, since huge pages are mapped and unmapped whole. */
    const size_t length = (size_t)sluice_kernel_length(fd);
    uint8_t *base = sluice_kernel_map(fd, 0, length, &error);
    if (base == NULL) {
        sluice_memory_give(mapped);
        return sluice_failure(-error, "cannot map segment %s: %s", path,
                              sluice_failure_reason(-error));
    }
    *mapped = (struct sluice_segment){
        .header = (struct sluice_header *)base,
        .slots = (struct sluice_slot *)(base + header.slots),
        .rings = base + header.rings,
        .images = (struct sluice_image_entry *)(base + header.images),
        .creations = (_Atomic uint64_t *)(base + header.creations),
        .chunk_states = (_Atomic uint64_t *)(base + header.chunk_states),
        .chunks = base + header.chunks,
        .slot_count = (uint32_t)header.slot_count,
        .ring_capacity = (uint32_t)header.ring_capacity,
        .ring_length = (uint32_t)header.ring_length,
        .image_count = (uint32_t)header.image_count,
        .creation_count = (uint32_t)header.creation_count,
        .chunk_count = (uint32_t)header.chunk_count,
        .chunk_length = (uint32_t)header.chunk_length,
        .layout = header.layout,
        .length = length,
        .life = atomic_load(&sluice_presence_life),
        /* tmpfs and hugetlbfs report huge pages by their preferred block length */
        .huge = sluice_kernel_block(fd) >= HUGE_PAGE,
    };
    *segment = mapped;
    return 0;
}

int sluice_segment_map(const char *directory, struct sluice_segment **segment)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/segment", directory) >= sizeof path) {
        return sluice_failure(ENAMETOOLONG, "the name of directory %.100s... is too long",
                              directory);
    }
    const int fd = sluice_kernel_open(path, O_RDWR);
    if (fd < 0) {
        return sluice_failure(-fd, "no I/O process has segment %s: %s; start one", path,
                              sluice_failure_reason(-fd));
    }
    const int error = map_file(fd, path, segment);
    sluice_kernel_close(fd);
    return error;
}

void sluice_segment_unmap(struct sluice_segment *segment)
{
    sluice_segment_leave(segment);
    sluice_memory_give(segment);
}

void sluice_segment_leave(const struct sluice_segment *segment)
{
    if (sluice_presence_counts(segment->life))
        sluice_kernel_unmap(segment->header, segment->length);
}

bool sluice_segment_has(const struct sluice_segment *segment, const void *address)
{
    return sluice_presence_counts(segment->life)
        && sluice_kernel_lies_in(segment->header, segment->length, address);
}

bool sluice_segment_present(const struct sluice_segment *segment)
{
    if (!atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire))
        return sluice_presence_counts(segment->life);
    sluice_presence_look();
    return sluice_presence_counts(segment->life) && sluice_presence_readable(segment->header)
        && sluice_presence_readable(segment->images);
}

uint64_t sluice_segment_hash(dev_t device, ino_t inode)
{
    return sluice_image_hash(sluice_device(device), inode);
}

/* Returns whether an entry in this state is an image. An entry about to be filled is none yet. */
static bool stands(int state)
{
    return state != SLUICE_IMAGE_STATE_FREE && state <= SLUICE_IMAGE_STATE_COMMITTED;
}

static bool names(const struct sluice_image_entry *entry, int state, int64_t device, int64_t inode)
{
    return atomic_load_explicit(&entry->state, memory_order_acquire) == state
        && atomic_load_explicit(&entry->device, memory_order_relaxed) == device
        && atomic_load_explicit(&entry->inode, memory_order_relaxed) == inode;
}

/*
 * Finds an image in a bucket, with its state and size. The I/O process may reuse an entry at any
 * time. So the size counts only if the entry names the same image in the same state before and
 * after.
 */
static const struct sluice_image_entry *look_in(const struct sluice_image_entry *entry,
                                                int64_t device, uint64_t inode, int *state,
                                                int64_t *size)
{
    for (const struct sluice_image_entry *end = entry + SLUICE_IMAGE_BUCKET_LENGTH; entry < end;
         entry++) {
        *state = atomic_load_explicit(&entry->state, memory_order_acquire);
        while (stands(*state) && names(entry, *state, device, (int64_t)inode)) {
            *size = atomic_load_explicit(&entry->size, memory_order_acquire);
            if (names(entry, *state, device, (int64_t)inode))
                return entry;
            *state = atomic_load_explicit(&entry->state, memory_order_acquire);
        }
    }
    *state = SLUICE_IMAGE_STATE_FREE;
    return NULL;
}

/* Finds an image, which is in one of two buckets. */
static const struct sluice_image_entry *look_up(const struct sluice_segment *segment, dev_t number,
                                                ino_t inode, int *state, int64_t *size)
{
    const int64_t device = sluice_device(number);
    const uint64_t hash = sluice_image_hash(device, inode);
    const struct sluice_image_entry *entry =
        look_in(sluice_image_bucket(segment, hash, false), device, inode, state, size);
    return entry != NULL
        ? entry
        : look_in(sluice_image_bucket(segment, hash, true), device, inode, state, size);
}

static bool is_settling(const struct sluice_image_entry *entry)
{
    return (atomic_load_explicit(&entry->reason, memory_order_acquire)
            & SLUICE_IMAGE_REASON_SETTLING)
        != 0;
}

bool sluice_segment_size(const struct sluice_segment *segment, dev_t device, ino_t inode,
                         int64_t *size)
{
    int64_t found = 0;
    int state;
    const struct sluice_image_entry *entry = look_up(segment, device, inode, &state, &found);
    if (entry == NULL || (state == SLUICE_IMAGE_STATE_DIRECT && !is_settling(entry)))
        return false;
    *size = found;
    return true;
}

bool sluice_segment_was_longer(const struct sluice_segment *segment, dev_t device, ino_t inode,
                               int64_t size)
{
    int64_t found = 0;
    int state;
    return look_up(segment, device, inode, &state, &found) != NULL
        && state == SLUICE_IMAGE_STATE_DIRECT && found > size;
}

int sluice_segment_state(const struct sluice_segment *segment, dev_t device, ino_t inode)
{
    int64_t size;
    int state;
    look_up(segment, device, inode, &state, &size);
    return state;
}

struct sluice_image_entry *sluice_segment_untaken(const struct sluice_segment *segment,
                                                  dev_t device, ino_t inode, int *state)
{
    int64_t size;
    const struct sluice_image_entry *entry = look_up(segment, device, inode, state, &size);
    return entry != NULL && atomic_load_explicit(&entry->creator, memory_order_acquire) != 0
        ? segment->images + (entry - segment->images)
        : NULL;
}

bool sluice_segment_quiet(const struct sluice_segment *segment)
{
    for (uint32_t slot = 0; slot < segment->slot_count; slot++) {
        const struct sluice_ring_trailer *ring =
            (const struct sluice_ring_trailer *)(segment->rings
                                                 + (size_t)slot * segment->ring_length
                                                 + segment->ring_capacity);
        if (atomic_load_explicit(&segment->slots[slot].state, memory_order_acquire)
                == SLUICE_SLOT_STATE_ATTACHED
            && atomic_load_explicit(&ring->head, memory_order_acquire)
                != atomic_load_explicit(&ring->tail, memory_order_acquire)) {
            return false;
        }
    }
    return true;
}
