/* What makes a process a client: a mapping, a connection, and the log of its slot. */
#pragma once

#include "chunk.h"
#include "client.h"
#include "connection.h"
#include "segment.h"

/*
 * Locks, from the outside in: an image's, the writer's (of the log), the connection's request_lock,
 * its send_lock. A thread that holds one takes only later ones, so there is no cycle. The first
 * orders the writes of one image, whichever path each takes. The second serves all images of the
 * process, since they share the open chunk. The third keeps requests and replies paired; the fourth
 * keeps frames whole. A thread may wait for the I/O process under any of them, and the I/O process
 * never waits for a client.
 */
struct sluice_client {
    struct sluice_segment *segment;
    struct sluice_connection connection;
    struct sluice_chunk_writer writer;
    int64_t session_id;
    int64_t generation;          /* of the slot */
    bool kernel_fences;          /* so that an append need not; see barrier.h */
    struct sluice_mapper mapper; /* the process that attached, as the kernel knows it */
    int64_t token;               /* of the request to attach, also when it is repeated */
    int rank;
    int ranks;
    bool early;                 /* attached before it opened a file */
    pthread_mutex_t succession; /* guards what follows; inside an image's lock, no other is */
    bool succeeded;
    struct sluice_client *successor;
};

/*
 * Makes an image direct whose client has lost its slot: 0 when its own file holds everything, and
 * then it may be the successor's, or -EIO. The caller holds image->lock.
 */
int sluice_client_leave_log(struct sluice_log_image *image);

/* Sends OPEN or CREATE. `path`, unless NULL, takes the path behind the disposition,
 * unterminated. */
int sluice_client_open(struct sluice_client *client, int type, const struct sluice_body *body,
                       struct sluice_disposition *disposition, char *path, size_t capacity);
