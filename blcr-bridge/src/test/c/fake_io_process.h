/*
 * An I/O process in a thread, for tests of the client: it serves the socket, empties the rings, and
 * keeps what an image's log says in memory, byte by byte. It breaks on request.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "sluice_layout.h"

#define FAKE_MAX_IMAGES 16
#define FAKE_MAX_CLIENTS 8
#define FAKE_IMAGE_LIMIT (8 << 20)

struct fake_geometry {
    int layout;
    int chunk_count;
    int chunk_length;
    int64_t threshold;
    int policy;
};

struct fake_image {
    struct sluice_image_entry *entry;
    int fd;
    bool by_request;  /* CREATE made it, not OPEN */
    int16_t *overlay; /* per byte what the log says, -1 for nothing */
    int64_t overlaid; /* end of what may not be -1 */
};

/* How much of a chunk was applied before it was drained. */
struct fake_mark {
    uint32_t generation;
    uint32_t applied;
};

struct fake_io_process {
    char directory[64];
    struct fake_geometry geometry;
    uint8_t *base;
    struct sluice_header *header;
    struct sluice_slot *slots;
    _Atomic uint64_t *states;
    int listener;
    int bell[2]; /* a pipe that ends the thread's sleep */
    int clients[FAKE_MAX_CLIENTS];
    int client_count;
    pthread_t thread;
    pthread_mutex_t lock;           /* everything below, and the draining */
    int64_t head[FAKE_MAX_CLIENTS]; /* of the rings */
    struct fake_mark *marks;        /* by chunk */
    struct fake_image images[FAKE_MAX_IMAGES];
    int image_count;
    int disposition; /* what the next OPEN is answered with */
    int released;    /* chunks drained */
    int requests[64];
    bool member[FAKE_MAX_CLIENTS];
    int last_status; /* LEAVE's */
    bool paused;     /* leaves published chunks alone */
    bool careless;   /* releases chunks without a look into them */
    _Atomic bool stop;
};

void fake_start(struct fake_io_process *iop, struct fake_geometry geometry);
void fake_stop(struct fake_io_process *iop);

/* As if killed: the sockets close, the segment stays. */
void fake_kill(struct fake_io_process *iop);

/* What a second process's open does: the image becomes direct without its writer's help. */
void fake_make_direct(struct fake_io_process *iop, struct fake_image *image);

/*
 * What the end of a session does to a process that runs on: nobody answers any more, the slot is
 * taken back, and the image becomes direct.
 */
void fake_dismiss(struct fake_io_process *iop, struct fake_image *image);

/* Drains what is published; then the image as a restart would build it, to be freed. */
uint8_t *fake_rebuild(struct fake_io_process *iop, struct fake_image *image, int64_t *size);

/* How often a request was received. */
int fake_requests(struct fake_io_process *iop, int type);

/* How many have joined and neither left nor died. */
int fake_members(struct fake_io_process *iop);

void fake_pause(struct fake_io_process *iop, bool paused);
