#include "fake_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void fake_must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fake I/O process: %s: %s\n", what, strerror(errno));
        abort();
    }
}

static void lay_out(struct sluice_header *header, struct fake_geometry geometry)
{
    header->magic = SLUICE_HEADER_MAGIC;
    static int64_t sessions;
    header->session_id = 0x5e5510 + sessions++;
    header->slots = SLUICE_HEADER_LENGTH;
    header->slot_count = FAKE_MAX_CLIENTS;
    header->slot_length = SLUICE_SLOT_LENGTH;
    header->rings = header->slots + FAKE_MAX_CLIENTS * SLUICE_SLOT_LENGTH;
    header->ring_capacity = FAKE_RING_CAPACITY;
    header->ring_length = FAKE_RING_CAPACITY + 768;
    header->images = header->rings + FAKE_MAX_CLIENTS * header->ring_length;
    header->image_count = FAKE_IMAGES;
    header->image_length = SLUICE_IMAGE_LENGTH;
    header->creations = header->images + FAKE_IMAGES * SLUICE_IMAGE_LENGTH;
    header->creation_count = 64;
    header->chunk_states = header->creations + header->creation_count * SLUICE_CREATION_LENGTH;
    header->chunk_count = geometry.chunk_count;
    header->chunk_length = geometry.chunk_length;
    header->chunks = 2 << 20;
    header->segment_length = header->chunks + (int64_t)geometry.chunk_count * geometry.chunk_length;
    header->layout = geometry.layout;
    header->barrier = SLUICE_HEADER_BARRIER_KERNEL;
    atomic_store(&header->threshold, geometry.threshold);
    atomic_store(&header->threshold_policy, geometry.policy);
    header->when_full = SLUICE_HEADER_WHEN_FULL_WAIT;
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
    iop->base =
        mmap(NULL, (size_t)header.segment_length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    MUST(iop->base != MAP_FAILED);
    close(fd);
    iop->header = (struct sluice_header *)iop->base;
    iop->slots = (struct sluice_slot *)(iop->base + header.slots);
    iop->states = (_Atomic uint64_t *)(iop->base + header.chunk_states);
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
        iop->slots[slot].state = SLUICE_SLOT_STATE_FREE;
        pthread_mutex_unlock(&iop->lock);
        return;
    }
    pthread_mutex_lock(&iop->lock);
    iop->requests[header[1]]++;
    if (header[1] != SLUICE_REQUEST_WAKE && header[1] != SLUICE_REQUEST_SETTLE)
        fake_drain_rings(iop);
    fake_answer(iop, slot, header[1], body, (size_t)header[0] - 8);
    pthread_mutex_unlock(&iop->lock);
}

static bool ring_filled(struct fake_io_process *iop)
{
    for (int slot = 0; slot < iop->client_count; slot++) {
        uint8_t *ring = iop->base + iop->header->rings + (int64_t)slot * iop->header->ring_length;
        struct sluice_ring_record *record =
            (struct sluice_ring_record *)(ring + (iop->head[slot] & (FAKE_RING_CAPACITY - 1)));
        if (atomic_load(&record->length) > 0)
            return true;
    }
    return false;
}

/* Sleeps in the kernel until there is something to do; a doorbell that is not rung costs seconds. */
static void sleep_in(struct fake_io_process *iop, struct pollfd *fds, nfds_t count)
{
    atomic_store(&iop->header->sleeping, 1);
    atomic_thread_fence(memory_order_seq_cst);
    pthread_mutex_lock(&iop->lock);
    const bool busy = !iop->paused && ring_filled(iop);
    pthread_mutex_unlock(&iop->lock);
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
        for (int i = 0; i < count; i++)
            fds[2 + i] = (struct pollfd){.fd = iop->clients[i], .events = POLLIN};
        sleep_in(iop, fds, 2 + (nfds_t)count);
        for (int i = 0; i < count; i++)
            if (fds[2 + i].revents != 0)
                serve_client(iop, i);
        if (fds[0].revents != 0) {
            MUST(count < FAKE_MAX_CLIENTS);
            iop->clients[count] = accept4(iop->listener, NULL, NULL, SOCK_CLOEXEC);
            iop->client_count++;
        }
        char rung;
        if (fds[1].revents != 0)
            MUST(read(iop->bell[0], &rung, 1) == 1);
        pthread_mutex_lock(&iop->lock);
        if (!iop->paused)
            fake_drain_rings(iop);
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
    *iop = (struct fake_io_process){.geometry = geometry,
                                    .directory = "/dev/shm/sluice-test-XXXXXX",
                                    .disposition = SLUICE_REQUEST_DIVERT};
    MUST(mkdtemp(iop->directory) != NULL);
    create_segment(iop);
    iop->marks = calloc((size_t)geometry.chunk_count, sizeof *iop->marks);
    MUST(iop->marks != NULL);
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
    for (int i = 0; i < iop->client_count; i++)
        close(iop->clients[i]);
}

void fake_stop(struct fake_io_process *iop)
{
    if (!atomic_load(&iop->stop))
        fake_kill(iop);
    for (int i = 0; i < iop->image_count; i++) {
        close(iop->images[i].fd);
        free(iop->images[i].overlay);
    }
    free(iop->marks);
    munmap(iop->base, (size_t)iop->header->segment_length);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", iop->directory);
    MUST(system(command) == 0);
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
    for (int i = 0; i < FAKE_MAX_CLIENTS; i++)
        count += iop->member[i];
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
