/* The client: a mapping of the segment, a connection, and the log of the process's slot. */
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
    int64_t generation;
    bool kernel_fences;          /* appends may leave out the fence; see barrier.h */
    struct sluice_mapper mapper; /* the process that attached, as the kernel knows it */
    int64_t token;               /* identifies the request to attach, also when repeated */
    int rank;
    int ranks;
    pthread_mutex_t succession; /* guards the fields below; taken inside an image's lock */
    bool succeeded;
    _Atomic bool deserted; /* the I/O process was waited for in vain at the end of its session */
    struct sluice_client *successor;
};

/*
 * Makes an image direct after its client has lost the slot. Returns 0 when the image's own file
 * holds everything, or -EIO. The image may belong to the client's successor afterwards. The caller
 * holds image->lock.
 */
int sluice_client_leave_log(struct sluice_log_image *image);

/*
 * Sends OPEN or CREATE. `path`, unless NULL, receives the path that follows the disposition,
 * without a final zero.
 */
int sluice_client_open(struct sluice_client *client, int type, const struct sluice_body *body,
                       struct sluice_disposition *disposition, char *path, size_t capacity);
