/*
 * The successor of a client. A process that has lost its slot, as hold.h says, attaches anew. The
 * old client stays as it is: images refer to it, and threads may be about to look at it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "attachment.h"
#include "clock.h"
#include "failure.h"
#include "kernel.h"

/* The pause between two looks, in nanoseconds. */
#define NAP 1000000

/* The time after which an I/O process without a sign of life is not alive, in milliseconds. */
#define LATEST_BEAT 5000

/*
 * Returns whether the slot is lost. A restarted process whose session is nowhere to be found
 * notices that by its lost connection.
 */
bool sluice_client_adrift(struct sluice_client *client)
{
    if (atomic_load_explicit(&client->connection.lost, memory_order_relaxed)
        && !sluice_presence_is(&client->mapper)) {
        client->writer.pool.hold.given->generation = 0;
    }
    return !sluice_pool_held(&client->writer.pool) && !sluice_client_away(client);
}

/*
 * Closes the parent's socket in a child, which would hide the parent's death. The number may belong
 * to another file by now, which stays open.
 */
static void let_go_of_socket(struct sluice_connection *connection)
{
    struct sockaddr_un peer = {0};
    socklen_t length = sizeof peer - 1;
    char expected[sizeof peer.sun_path + 1];
    snprintf(expected, sizeof expected, "%s/socket", connection->directory);
    if (getpeername(connection->socket, (struct sockaddr *)&peer, &length) == 0
        && peer.sun_family == AF_UNIX && strcmp(peer.sun_path, expected) == 0) {
        sluice_kernel_close(connection->socket);
    }
    connection->socket = -1;
}

static struct sluice_client *successor(struct sluice_client *client)
{
    pthread_mutex_lock(&client->succession);
    if (!client->succeeded) {
        client->succeeded = true;
        atomic_store_explicit(&client->connection.lost, true, memory_order_relaxed);
        let_go_of_socket(&client->connection);
        sluice_client_attach(client->connection.directory, client->rank, client->ranks,
                             &client->successor);
    }
    pthread_mutex_unlock(&client->succession);
    return client->successor;
}

struct sluice_client *sluice_client_current(struct sluice_client *client)
{
    while (client != NULL && sluice_client_adrift(client))
        client = successor(client);
    return client;
}

/* Returns whether the image's own file still lacks logged bytes, by its entry in the segment. */
static bool is_settling(const struct sluice_image_entry *entry)
{
    const int state = atomic_load_explicit(&entry->state, memory_order_acquire);
    const int reason = atomic_load_explicit(&entry->reason, memory_order_acquire);
    return state != SLUICE_IMAGE_STATE_FREE
        && (state != SLUICE_IMAGE_STATE_DIRECT || (reason & SLUICE_IMAGE_REASON_SETTLING) != 0);
}

/*
 * Waits until the image is settled, as long as the I/O process gives signs of life. Returns false
 * if it is gone for longer than a killed one would be waited for.
 */
static bool await_settled(const struct sluice_client *client,
                          const struct sluice_image_entry *entry)
{
    const _Atomic int64_t *heartbeat = &client->segment->header->heartbeat;
    int64_t beat = atomic_load_explicit(heartbeat, memory_order_relaxed);
    const int64_t patience = LATEST_BEAT + sluice_connection_patience();
    int64_t end = sluice_clock_ms() + patience;
    while (is_settling(entry) && !sluice_connection_ended(&client->connection)) {
        if (sluice_clock_ms() > end)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
        const int64_t next = atomic_load_explicit(heartbeat, memory_order_relaxed);
        end = next == beat ? end : sluice_clock_ms() + patience;
        beat = next;
    }
    return true;
}

/*
 * Returns whether the image's own file has what this process logged, though its session ended
 * meanwhile. The I/O process takes all slots back, and then makes all images direct. In between
 * nobody else is there to ask, so this process waits. No entry gets another image by then.
 */
static bool is_whole(const struct sluice_log_image *image, bool waits)
{
    struct sluice_client *client = image->client;
    if (!sluice_hold_taken_back(&client->writer.pool.hold))
        return false;
    if (waits && !client->deserted)
        client->deserted = !await_settled(client, image->entry);
    return !is_settling(image->entry);
}

/*
 * Makes an image direct after its slot was lost. The process opens the file once more, as its own
 * successor. The I/O process that holds the logged bytes then puts them into the file. Another I/O
 * process has no such bytes, so the image is whole only if none were pending.
 */
int sluice_client_leave_log(struct sluice_log_image *image)
{
    struct sluice_client *former = image->client;
    struct sluice_client *next = sluice_client_current(former);
    const int flags = SLUICE_REQUEST_OPEN_WRITE | sluice_open_direct(SLUICE_REASON_LOST);
    const struct sluice_request_open request = {image->device, image->inode, flags};
    struct sluice_disposition disposition = {.kind = SLUICE_REQUEST_PLAIN};
    const int error = next == NULL ? 0 : sluice_client_announce(next, request, "", &disposition);
    const bool known = error == 0 && disposition.kind == SLUICE_REQUEST_DIRECT;
    const bool same_session = next != NULL && next->session_id == former->session_id;
    const bool complete = same_session
        ? known
        : image->pending_high <= image->pending_low || is_whole(image, next == NULL);
    if (known && !complete) {
        sluice_lock_take(&next->writer.lock);
        sluice_chunk_close(&next->writer, true, disposition.id, image->opened, sluice_clock());
        sluice_lock_release(&next->writer.lock);
    }
    const int met = sluice_hold_taken_back(&former->writer.pool.hold)
        ? atomic_load_explicit(&image->entry->error, memory_order_relaxed)
        : 0;
    if (met != 0)
        return sluice_failure(met, "draining the image failed: %s", sluice_failure_reason(met));
    if (error != 0 || !complete) {
        return sluice_failure(EIO,
                              "the session in which this process logged the image is over, or this "
                              "process was brought back elsewhere; write it anew");
    }
    if (known) {
        image->client = next;
        image->id = disposition.id;
    }
    image->tally = (struct sluice_tally){
        .client = next,
        .entry = known ? next->segment->images + disposition.entry : NULL,
        .reason = SLUICE_REASON_LOST,
    };
    image->last_chunk = 0;
    image->entry = NULL;
    return 0;
}
