#include "fake_io_process.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <fcntl.h>

#define SLOTS FAKE_MAX_CLIENTS
#define IMAGES 64
#define RING_CAPACITY 1024

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fake I/O process: %s: %s\n", what, strerror(errno));
        abort();
    }
}

#define MUST(condition) must(condition, #condition)

static void lay_out(struct sluice_header *header, struct fake_geometry geometry)
{
    header->magic = SLUICE_HEADER_MAGIC;
    header->session_id = 0x5e5510;
    header->slots = SLUICE_HEADER_LENGTH;
    header->slot_count = SLOTS;
    header->slot_length = SLUICE_SLOT_LENGTH;
    header->rings = header->slots + SLOTS * SLUICE_SLOT_LENGTH;
    header->ring_capacity = RING_CAPACITY;
    header->ring_length = RING_CAPACITY + 768;
    header->images = header->rings + SLOTS * header->ring_length;
    header->image_count = IMAGES;
    header->image_length = SLUICE_IMAGE_LENGTH;
    header->chunk_states = header->images + IMAGES * SLUICE_IMAGE_LENGTH;
    header->chunk_count = geometry.chunk_count;
    header->chunk_length = geometry.chunk_length;
    header->chunks = 2 << 20;
    header->segment_length = header->chunks + (int64_t)geometry.chunk_count * geometry.chunk_length;
    header->layout = geometry.layout;
    atomic_store(&header->threshold, geometry.threshold);
    atomic_store(&header->threshold_policy, geometry.policy);
    atomic_store(&header->free_chunks, geometry.chunk_count);
    atomic_store(&header->version, SLUICE_HEADER_VERSION);
}

static void create_segment(struct fake_io_process *iop)
{
    struct sluice_header header = {0};
    lay_out(&header, iop->geometry);
    char path[128];
    snprintf(path, sizeof path, "%s/segment", iop->directory);
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    MUST(fd >= 0 && ftruncate(fd, header.segment_length) == 0);
    MUST(pwrite(fd, &header, sizeof header, 0) == sizeof header);
    iop->base = mmap(NULL, (size_t)header.segment_length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    MUST(iop->base != MAP_FAILED);
    close(fd);
    iop->header = (struct sluice_header *)iop->base;
    iop->slots = (struct sluice_slot *)(iop->base + header.slots);
    iop->states = (_Atomic uint64_t *)(iop->base + header.chunk_states);
}

static void apply_to_file(struct fake_image *image, struct sluice_record *record, int64_t length)
{
    const uint8_t *payload = (const uint8_t *)(record + 1);
    if (record->type == SLUICE_RECORD_TYPE_WRITE) {
        MUST(pwrite(image->fd, payload, (size_t)length, record->offset) == length);
    } else if (record->type == SLUICE_RECORD_TYPE_TRUNCATE) {
        MUST(ftruncate(image->fd, record->offset) == 0);
    }
}

static void apply_to_overlay(struct fake_image *image, struct sluice_record *record, int64_t length)
{
    const uint8_t *payload = (const uint8_t *)(record + 1);
    const bool write = record->type == SLUICE_RECORD_TYPE_WRITE;
    const int64_t end = record->type == SLUICE_RECORD_TYPE_TRUNCATE ? image->overlaid
                                                                    : record->offset + length;
    MUST(record->offset >= 0 && end <= FAKE_IMAGE_LIMIT);
    image->overlaid = end > image->overlaid ? end : image->overlaid;
    for (int64_t at = record->offset; at < end; at++) {
        image->overlay[at] = write ? payload[at - record->offset] : -1;
    }
}

static void apply(struct fake_io_process *iop, struct sluice_record *record, int64_t length)
{
    for (int i = 0; i < iop->image_count; i++) {
        struct fake_image *image = iop->images + i;
        if (image->entry->image_id == record->image_id) {
            if (iop->geometry.layout == SLUICE_HEADER_LAYOUT_FILES) {
                apply_to_file(image, record, length);
            } else {
                apply_to_overlay(image, record, length);
            }
            return;
        }
    }
    must(false, "record of an unknown image");
}

/* Applies the records of a chunk up to `used`, from where an earlier look at it ended. */
static void apply_chunk(struct fake_io_process *iop, int slot, struct sluice_chunk *chunk,
                        uint32_t used)
{
    struct fake_slot *state = iop->slot + slot;
    if (state->sequence != chunk->sequence) {
        state->sequence = chunk->sequence;
        state->applied = SLUICE_CHUNK_HEADER_LENGTH;
    }
    MUST(chunk->magic == SLUICE_CHUNK_MAGIC && chunk->slot == slot);
    MUST(used <= (uint32_t)iop->geometry.chunk_length);
    uint32_t at = SLUICE_CHUNK_HEADER_LENGTH;
    while (at + SLUICE_RECORD_HEADER_LENGTH <= used) {
        struct sluice_record *record = (struct sluice_record *)((uint8_t *)chunk + at);
        const uint32_t payload = at + SLUICE_RECORD_HEADER_LENGTH;
        int64_t length = atomic_load(&record->length);
        if (record->type == SLUICE_RECORD_TYPE_WRITE && length > used - payload) {
            length = used - payload;
        }
        const uint32_t end =
            payload + (record->type == SLUICE_RECORD_TYPE_WRITE ? (uint32_t)length : 0);
        /* A record that grew is applied whole once more, which changes nothing. */
        if (end > state->applied) {
            apply(iop, record, length);
        }
        at = (end + 7) & ~7U;
    }
    state->applied = used;
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

static void drain_ring(struct fake_io_process *iop, int slot)
{
    uint8_t *ring = iop->base + iop->header->rings + (int64_t)slot * iop->header->ring_length;
    struct sluice_ring_trailer *trailer = (struct sluice_ring_trailer *)(ring + RING_CAPACITY);
    struct fake_slot *state = iop->slot + slot;
    for (;;) {
        struct sluice_ring_record *record =
            (struct sluice_ring_record *)(ring + (state->head & (RING_CAPACITY - 1)));
        if (atomic_load(&record->length) <= 0) {
            return;
        }
        MUST(record->type == SLUICE_RING_TYPE_CHUNK && record->length == 32);
        struct sluice_chunk *chunk = chunk_at(iop, record->chunk);
        MUST(chunk->sequence == record->sequence
             && (uint64_t)record->generation == atomic_load(&iop->states[record->chunk]) >> 32);
        MUST(atomic_load(&chunk->used) == record->used);
        if (!iop->careless) {
            apply_chunk(iop, slot, chunk, (uint32_t)record->used);
        }
        const int32_t index = record->chunk;
        memset((void *)record, 0, sizeof *record);
        state->head += sizeof *record;
        atomic_store(&trailer->head, state->head);
        release(iop, index);
    }
}

static void drain_rings(struct fake_io_process *iop)
{
    for (int slot = 0; slot < iop->client_count; slot++) {
        drain_ring(iop, slot);
    }
}

/* Records in chunks that are still open; an open chunk belongs to the slot in its state. */
static void apply_open_chunks(struct fake_io_process *iop)
{
    for (int32_t i = 0; i < iop->geometry.chunk_count; i++) {
        const uint64_t state = atomic_load(&iop->states[i]);
        const int32_t used = atomic_load_explicit(&chunk_at(iop, i)->used, memory_order_acquire);
        if ((state & 0xff) == SLUICE_CHUNK_STATE_OPEN && used > SLUICE_CHUNK_HEADER_LENGTH) {
            apply_chunk(iop, (int)(state >> 8 & 0xffffff), chunk_at(iop, i), (uint32_t)used);
        }
    }
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
static void settle(struct fake_io_process *iop, struct fake_image *image)
{
    drain_rings(iop);
    apply_open_chunks(iop);
    flush_overlay(image);
}

void fake_make_direct(struct fake_io_process *iop, struct fake_image *image)
{
    pthread_mutex_lock(&iop->lock);
    atomic_store(&image->entry->state, SLUICE_IMAGE_STATE_DIRECT);
    atomic_thread_fence(memory_order_seq_cst);
    settle(iop, image);
    pthread_mutex_unlock(&iop->lock);
}

static struct fake_image *image_of(struct fake_io_process *iop, int32_t id)
{
    for (int i = 0; i < iop->image_count; i++) {
        if (iop->images[i].entry->image_id == id) {
            return iop->images + i;
        }
    }
    must(false, "request for an unknown image");
    return NULL;
}

static struct fake_image *add_image(struct fake_io_process *iop, int64_t device, int64_t inode,
                                    const char *path)
{
    uint64_t hash = (uint64_t)inode * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)device;
    hash ^= hash >> 32;
    struct sluice_image_entry *entry = (struct sluice_image_entry *)(iop->base + iop->header->images)
        + (hash & (IMAGES / 16 - 1)) * 16;
    while (atomic_load(&entry->state) != SLUICE_IMAGE_STATE_FREE) {
        entry++;
    }
    struct fake_image *image = iop->images + iop->image_count++;
    image->entry = entry;
    image->fd = open(path, O_RDWR | O_CLOEXEC);
    MUST(image->fd >= 0);
    image->overlay = malloc(FAKE_IMAGE_LIMIT * sizeof *image->overlay);
    memset(image->overlay, 0xff, FAKE_IMAGE_LIMIT * sizeof *image->overlay);
    struct stat status;
    MUST(fstat(image->fd, &status) == 0);
    entry->image_id = iop->image_count;
    atomic_store(&entry->device, device);
    atomic_store(&entry->inode, inode);
    atomic_store(&entry->size, status.st_size);
    atomic_store(&entry->state, iop->disposition == SLUICE_REQUEST_DIVERT
                     ? SLUICE_IMAGE_STATE_DIVERTED
                     : SLUICE_IMAGE_STATE_DIRECT);
    return image;
}

static void reply(int fd, int status, const void *body, size_t length)
{
    char frame[8 + 4096];
    const int32_t header[2] = {(int32_t)(8 + length), status};
    memcpy(frame, header, sizeof header);
    if (length > 0) {
        memcpy(frame + sizeof header, body, length);
    }
    send(fd, frame, 8 + length, MSG_NOSIGNAL);
}

static void refuse(int fd, int error, const char *sentence)
{
    reply(fd, -error, sentence, strlen(sentence));
}

static void answer_open(struct fake_io_process *iop, int fd, int64_t device, int64_t inode,
                        const char *path, const char *tail)
{
    struct {
        int32_t disposition, entry, id, reserved;
        int64_t size;
        int32_t length;
        char path[256];
    } body = {.disposition = iop->disposition};
    if (iop->disposition != SLUICE_REQUEST_PLAIN) {
        struct fake_image *image = add_image(iop, device, inode, path);
        body.entry = (int32_t)(image->entry
                               - (struct sluice_image_entry *)(iop->base + iop->header->images));
        body.id = image->entry->image_id;
        body.size = atomic_load(&image->entry->size);
    }
    size_t length = offsetof(__typeof__(body), length);
    if (tail != NULL) {
        body.length = (int32_t)strlen(tail);
        strcpy(body.path, tail);
        length = offsetof(__typeof__(body), path) + strlen(tail);
    }
    reply(fd, 0, &body, length);
}

static void create(struct fake_io_process *iop, int fd, const char *body)
{
    char path[256];
    int32_t name_length;
    memcpy(&name_length, body + 16, 4);
    snprintf(path, sizeof path, "%s/image-%d", iop->directory, iop->image_count);
    const int created = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;
    MUST(created >= 0 && fstat(created, &status) == 0 && name_length > 0);
    close(created);
    answer_open(iop, fd, (int64_t)status.st_dev, (int64_t)status.st_ino, path, path);
}

static void restart(struct fake_io_process *iop, int fd)
{
    struct {
        int32_t length;
        char path[200];
    } body;
    body.length = snprintf(body.path, sizeof body.path, "%s/rebuilt", iop->directory);
    const int copy = open(body.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    MUST(copy >= 0 && write(copy, "rebuilt bytes", 13) == 13);
    close(copy);
    reply(fd, 0, &body, sizeof body.length + (size_t)body.length);
}

static void answer_settle(struct fake_io_process *iop, int fd, const int32_t *body)
{
    struct fake_image *image = image_of(iop, body[0]);
    if (body[1] & SLUICE_REQUEST_SETTLE_DIRECT) {
        atomic_store(&image->entry->state, SLUICE_IMAGE_STATE_DIRECT);
    }
    settle(iop, image);
    const int64_t size = atomic_load(&image->entry->size);
    reply(fd, 0, &size, sizeof size);
}

static void answer(struct fake_io_process *iop, int slot, int type, const char *body, size_t length)
{
    const int fd = iop->clients[slot];
    int64_t identity[2];
    char path[256] = "";
    switch (type) {
    case SLUICE_REQUEST_ATTACH: {
        const int64_t session[2] = {slot, iop->header->session_id};
        int32_t version;
        memcpy(&version, body, sizeof version);
        if (version != SLUICE_HEADER_VERSION) {
            refuse(fd, EPROTONOSUPPORT, "another version");
        } else {
            reply(fd, 0, session, sizeof session);
        }
        break;
    }
    case SLUICE_REQUEST_OPEN:
        memcpy(identity, body, sizeof identity);
        memcpy(path, body + 24, length - 24);
        answer_open(iop, fd, identity[0], identity[1], path, NULL);
        break;
    case SLUICE_REQUEST_CREATE:
        create(iop, fd, body);
        break;
    case SLUICE_REQUEST_SETTLE:
        answer_settle(iop, fd, (const int32_t *)body);
        break;
    case SLUICE_REQUEST_WAIT:
        refuse(fd, ETIMEDOUT, "not yet");
        break;
    case SLUICE_REQUEST_LIST: {
        const int32_t numbers[5] = {2, 7, 0, 9, 0};
        reply(fd, 0, numbers, sizeof numbers);
        break;
    }
    case SLUICE_REQUEST_RESTART:
        restart(iop, fd);
        break;
    case SLUICE_REQUEST_LEAVE:
        memcpy(&iop->last_status, body, sizeof iop->last_status);
        iop->member[slot] = false;
        reply(fd, 0, NULL, 0);
        break;
    case SLUICE_REQUEST_JOIN:
        iop->member[slot] = true;
        reply(fd, 0, NULL, 0);
        break;
    case SLUICE_REQUEST_CLOSE:
    case SLUICE_REQUEST_RENAMED:
    case SLUICE_REQUEST_WAKE:
        break;
    default:
        reply(fd, 0, NULL, 0);
    }
}

static bool receive(int fd, void *data, size_t length)
{
    return length == 0 || recv(fd, data, length, MSG_WAITALL) == (ssize_t)length;
}

static void serve_client(struct fake_io_process *iop, int slot)
{
    static char body[SLUICE_REQUEST_MAX_LENGTH];
    int32_t header[2];
    if (!receive(iop->clients[slot], header, sizeof header)
        || !receive(iop->clients[slot], body, (size_t)header[0] - 8)) {
        close(iop->clients[slot]);
        pthread_mutex_lock(&iop->lock);
        iop->clients[slot] = -1;
        iop->member[slot] = false;
        pthread_mutex_unlock(&iop->lock);
        return;
    }
    pthread_mutex_lock(&iop->lock);
    iop->requests[header[1]]++;
    if (header[1] != SLUICE_REQUEST_WAKE && header[1] != SLUICE_REQUEST_SETTLE) {
        drain_rings(iop);
    }
    answer(iop, slot, header[1], body, (size_t)header[0] - 8);
    pthread_mutex_unlock(&iop->lock);
}

static bool ring_filled(struct fake_io_process *iop)
{
    for (int slot = 0; slot < iop->client_count; slot++) {
        uint8_t *ring = iop->base + iop->header->rings + (int64_t)slot * iop->header->ring_length;
        struct sluice_ring_record *record =
            (struct sluice_ring_record *)(ring + (iop->slot[slot].head & (RING_CAPACITY - 1)));
        if (atomic_load(&record->length) > 0) {
            return true;
        }
    }
    return false;
}

/* Sleeps in the kernel until there is something to do; a doorbell that is not rung costs seconds. */
static void sleep_in(struct fake_io_process *iop, struct pollfd *fds, nfds_t count)
{
    atomic_store(&iop->header->sleeping, 1);
    atomic_thread_fence(memory_order_seq_cst);
    const bool busy = !iop->paused && ring_filled(iop);
    poll(fds, count, busy ? 0 : 10000);
    atomic_store(&iop->header->sleeping, 0);
}

static void *serve(void *argument)
{
    struct fake_io_process *iop = argument;
    while (!atomic_load(&iop->stop)) {
        struct pollfd fds[2 + FAKE_MAX_CLIENTS] = {{.fd = iop->listener, .events = POLLIN},
                                                   {.fd = iop->bell[0], .events = POLLIN}};
        const int count = iop->client_count;
        for (int i = 0; i < count; i++) {
            fds[2 + i] = (struct pollfd){.fd = iop->clients[i], .events = POLLIN};
        }
        sleep_in(iop, fds, 2 + (nfds_t)count);
        for (int i = 0; i < count; i++) {
            if (fds[2 + i].revents != 0) {
                serve_client(iop, i);
            }
        }
        if (fds[0].revents != 0) {
            MUST(count < FAKE_MAX_CLIENTS);
            iop->clients[count] = accept4(iop->listener, NULL, NULL, SOCK_CLOEXEC);
            iop->client_count++;
        }
        char rung;
        if (fds[1].revents != 0) {
            MUST(read(iop->bell[0], &rung, 1) == 1);
        }
        pthread_mutex_lock(&iop->lock);
        if (!iop->paused) {
            drain_rings(iop);
        }
        pthread_mutex_unlock(&iop->lock);
    }
    return NULL;
}

static void ring_bell(struct fake_io_process *iop)
{
    MUST(write(iop->bell[1], "", 1) == 1);
}

void fake_start(struct fake_io_process *iop, struct fake_geometry geometry)
{
    *iop = (struct fake_io_process){
        .geometry = geometry, .directory = "/dev/shm/sluice-test-XXXXXX",
        .disposition = SLUICE_REQUEST_DIVERT};
    MUST(mkdtemp(iop->directory) != NULL);
    create_segment(iop);
    pthread_mutex_init(&iop->lock, NULL);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", iop->directory);
    iop->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    MUST(bind(iop->listener, (struct sockaddr *)&address, sizeof address) == 0);
    MUST(listen(iop->listener, 8) == 0 && pipe2(iop->bell, O_CLOEXEC) == 0);
    MUST(pthread_create(&iop->thread, NULL, serve, iop) == 0);
}

void fake_kill(struct fake_io_process *iop)
{
    atomic_store(&iop->stop, true);
    ring_bell(iop);
    pthread_join(iop->thread, NULL);
    close(iop->listener);
    close(iop->bell[0]);
    close(iop->bell[1]);
    for (int i = 0; i < iop->client_count; i++) {
        close(iop->clients[i]);
    }
}

void fake_stop(struct fake_io_process *iop)
{
    if (!atomic_load(&iop->stop)) {
        fake_kill(iop);
    }
    for (int i = 0; i < iop->image_count; i++) {
        close(iop->images[i].fd);
        free(iop->images[i].overlay);
    }
    munmap(iop->base, (size_t)iop->header->segment_length);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", iop->directory);
    MUST(system(command) == 0);
}

uint8_t *fake_rebuild(struct fake_io_process *iop, struct fake_image *image, int64_t *size)
{
    pthread_mutex_lock(&iop->lock);
    drain_rings(iop);
    struct stat status;
    MUST(fstat(image->fd, &status) == 0);
    *size = atomic_load(&image->entry->state) == SLUICE_IMAGE_STATE_DIRECT
        ? status.st_size
        : atomic_load(&image->entry->size);
    uint8_t *content = calloc(1, (size_t)*size + 1);
    MUST(pread(image->fd, content, (size_t)*size, 0) >= 0);
    for (int64_t at = 0; at < *size; at++) {
        content[at] = image->overlay[at] >= 0 ? (uint8_t)image->overlay[at] : content[at];
    }
    pthread_mutex_unlock(&iop->lock);
    return content;
}

int fake_requests(struct fake_io_process *iop, int type)
{
    pthread_mutex_lock(&iop->lock);
    const int count = iop->requests[type];
    pthread_mutex_unlock(&iop->lock);
    return count;
}

int fake_members(struct fake_io_process *iop)
{
    int count = 0;
    pthread_mutex_lock(&iop->lock);
    for (int i = 0; i < FAKE_MAX_CLIENTS; i++) {
        count += iop->member[i];
    }
    pthread_mutex_unlock(&iop->lock);
    return count;
}

void fake_pause(struct fake_io_process *iop, bool paused)
{
    pthread_mutex_lock(&iop->lock);
    iop->paused = paused;
    pthread_mutex_unlock(&iop->lock);
    ring_bell(iop);
}
