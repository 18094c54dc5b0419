#include "client.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "attachment.h"
#include "barrier.h"
#include "clock.h"
#include "failure.h"
#include "kernel.h"
#include "launcher.h"
#include "memory.h"
#include "presence.h"
#include "socket.h"

/* The pause between two attempts to attach, in nanoseconds. */
#define NAP 20000000

/* The longest wait of a process that asks ahead, for a socket whose queue is full, in ms. */
#define ASKING_PATIENCE 1

/* Allows an attempt to resume. A process that has lost its slot must not get it back. */
static bool may_resume(void *greeter)
{
    const struct sluice_client *client = greeter;
    return sluice_pool_held(&client->writer.pool) && sluice_presence_is(&client->mapper);
}

/* Resumes the session: names this process's slot and how many of its requests were answered. */
static int resume(struct sluice_connection *connection, void *greeter)
{
    const struct sluice_client *client = greeter;
    const uint32_t slot = client->writer.pool.slot;
    const struct sluice_request_resume request = {
        .version = SLUICE_HEADER_VERSION,
        .slot = (int32_t)slot,
        .session_id = client->session_id,
        .generation = client->generation,
        .answered = connection->answered,
    };
    return sluice_connection_exchange(connection, SLUICE_REQUEST_RESUME, SLUICE_BODY(request),
                                      NULL);
}

static struct sluice_request_attach request_of(const struct sluice_client *client, bool early)
{
    return (struct sluice_request_attach){
        .version = SLUICE_HEADER_VERSION,
        .pid = client->mapper.pid,
        .rank = client->rank,
        .ranks = client->ranks,
        .start_time = client->mapper.started,
        .token = client->token,
        .local_ranks = client->rank < 0 ? 0 : sluice_launcher_local_ranks(client->ranks),
        .early = early,
    };
}

static int enter_slot(struct sluice_client *client, struct sluice_reply_attached answer)
{
    if (answer.session_id != client->segment->header->session_id || answer.slot < 0
        || (uint32_t)answer.slot >= client->segment->slot_count) {
        return sluice_failure(EBADMSG, "the I/O process and its segment do not belong together");
    }
    client->kernel_fences = client->segment->header->barrier == SLUICE_HEADER_BARRIER_KERNEL
        && sluice_barrier_register();
    client->session_id = answer.session_id;
    client->generation = client->segment->slots[answer.slot].generation;
    sluice_connection_greet(&client->connection, resume, may_resume, client);
    return sluice_chunk_writer_init(&client->writer, client->segment, &client->connection,
                                    (uint32_t)answer.slot, client->rank);
}

/* Takes the slot that this process asks for now or, if `asked`, has asked for. */
static int take_slot(struct sluice_client *client, bool asked)
{
    const struct sluice_request_attach request = request_of(client, false);
    struct sluice_reply_attached answer;
    const int error = asked ? sluice_connection_await(&client->connection, SLUICE_REPLY(answer))
                            : sluice_connection_request(&client->connection, SLUICE_REQUEST_ATTACH,
                                                        SLUICE_BODY(request), SLUICE_REPLY(answer));
    return error != 0 ? error : enter_slot(client, answer);
}

/* Attaches a client that has a connection. Closes that on failure. */
static int map_and_take_slot(const char *directory, struct sluice_client *client, bool asked)
{
    int error = sluice_segment_map(directory, &client->segment);
    if (error == 0) {
        error = take_slot(client, asked);
        if (error != 0)
            sluice_segment_unmap(client->segment);
    }
    if (error != 0)
        sluice_connection_close(&client->connection);
    return error;
}

static int connect_client(const char *directory, struct sluice_client *client)
{
    const int error = sluice_connection_open(directory, 0, &client->connection);
    return error != 0 ? error : map_and_take_slot(directory, client, false);
}

/*
 * Returns whether a killed I/O process may be resumed here. An I/O process that ends removes its
 * journal; a killed one leaves the journal to its successor.
 */
static bool may_come_back(const char *directory, int error)
{
    char journal[PATH_MAX];
    snprintf(journal, sizeof journal, "%s/journal", directory);
    return (error == -ECONNREFUSED || error == -ENOENT || error == -EIO)
        && access(journal, F_OK) == 0;
}

static struct sluice_client *new_client(int rank, int ranks)
{
    struct sluice_client *client = sluice_memory_take(sizeof *client);
    if (client == NULL)
        return NULL;
    client->mapper = sluice_presence_mapper();
    sluice_kernel_call(SYS_getrandom, (long)&client->token, sizeof client->token);
    client->rank = rank;
    client->ranks = ranks;
    pthread_mutex_init(&client->succession, NULL);
    return client;
}

static int connect_with_patience(const char *directory, struct sluice_client *client)
{
    const int64_t end = sluice_clock_ms() + sluice_connection_patience();
    int error = connect_client(directory, client);
    while (may_come_back(directory, error) && sluice_clock_ms() < end) {
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
        error = connect_client(directory, client);
    }
    return error;
}

/* Passes a client on, unless there was an error, which is returned. */
static int hand_out(struct sluice_client *made, int error, struct sluice_client **client)
{
    if (error != 0)
        sluice_memory_give(made);
    else
        *client = made;
    return error;
}

int sluice_client_attach(const char *directory, int rank, int ranks, struct sluice_client **client)
{
    struct sluice_client *made = new_client(rank, ranks);
    if (made == NULL)
        return sluice_failure(ENOMEM, "no memory to attach to %s", directory);
    return hand_out(made, connect_with_patience(directory, made), client);
}

int sluice_client_ask(const char *directory, int rank, int ranks, struct sluice_client **asked)
{
    struct sluice_client *made = new_client(rank, ranks);
    if (made == NULL)
        return sluice_failure(ENOMEM, "no memory to attach to %s", directory);
    const struct sluice_request_attach request = request_of(made, true);
    int error = sluice_connection_open(directory, ASKING_PATIENCE, &made->connection);
    if (error == 0) {
        error = made->connection.socket < SLUICE_SOCKET_NUMBER /* the program may want it */
            ? -EMFILE
            : sluice_connection_tell(&made->connection, SLUICE_REQUEST_ATTACH,
                                     SLUICE_BODY(request));
        if (error != 0)
            sluice_connection_close(&made->connection);
    }
    return hand_out(made, error, asked);
}

int sluice_client_attach_asked(const char *directory, struct sluice_client *asked,
                               struct sluice_client **client)
{
    const bool own = sluice_presence_is(&asked->mapper);
    int error = -EPIPE;
    if (sluice_connection_is_open(&asked->connection)) {
        if (own)
            error = map_and_take_slot(directory, asked, true);
        else
            sluice_connection_close(&asked->connection);
    }
    if (error != 0) {
        asked->mapper = sluice_presence_mapper();
        error = connect_with_patience(directory, asked);
    }
    return hand_out(asked, error, client);
}

void sluice_client_abandon_asked(struct sluice_client *asked)
{
    if (sluice_connection_is_open(&asked->connection))
        sluice_kernel_close(asked->connection.socket);
}

void sluice_client_abandon(struct sluice_client *client)
{
    for (struct sluice_client *each = client; each != NULL; each = each->successor) {
        if (each->connection.socket >= 0)
            sluice_kernel_close(each->connection.socket);
        sluice_hold_free(&each->writer.pool.hold);
        sluice_segment_leave(each->segment);
    }
}

static void free_client(struct sluice_client *client)
{
    if (client->successor != NULL)
        free_client(client->successor);
    sluice_connection_close(&client->connection);
    sluice_pool_destroy(&client->writer.pool);
    sluice_segment_unmap(client->segment);
    sluice_memory_give(client);
}

void sluice_client_leave(struct sluice_client *client, bool leaving)
{
    for (struct sluice_client *each = client; each != NULL; each = each->successor) {
        if (sluice_pool_held(&each->writer.pool)) {
            atomic_store_explicit(&each->writer.pool.hold.slot->left, leaving,
                                  memory_order_release);
        }
    }
}

void sluice_client_detach(struct sluice_client *client)
{
    for (struct sluice_client *each = client; each != NULL; each = each->successor) {
        sluice_lock_take(&each->writer.lock);
        sluice_chunk_publish(&each->writer);
        sluice_lock_release(&each->writer.lock);
    }
    sluice_client_leave(client, true);
    free_client(client);
}

bool sluice_client_has(const struct sluice_client *client, const void *address)
{
    return sluice_segment_has(client->segment, address)
        || (client->successor != NULL && sluice_client_has(client->successor, address));
}

bool sluice_client_away(const struct sluice_client *client)
{
    return !sluice_pool_held(&client->writer.pool) && sluice_hold_away(&client->writer.pool.hold);
}

static bool is_free(pthread_mutex_t *mutex)
{
    return sluice_lock_take_in_time(mutex) && pthread_mutex_unlock(mutex) == 0;
}

bool sluice_client_idle(struct sluice_client *client)
{
    return is_free(&client->writer.lock.mutex) && is_free(&client->connection.request_lock)
        && is_free(&client->connection.send_lock);
}

bool sluice_client_lost(const struct sluice_client *client)
{
    return atomic_load_explicit(&client->connection.lost, memory_order_relaxed);
}

int sluice_client_renamed(struct sluice_client *client, dev_t device, ino_t inode)
{
    const struct sluice_request_renamed request = {sluice_device(device), (int64_t)inode};
    return sluice_connection_tell(&client->connection, SLUICE_REQUEST_RENAMED,
                                  SLUICE_BODY(request));
}

int sluice_client_replace(struct sluice_client *client, dev_t device, ino_t inode, int flags,
                          const char *path)
{
    const struct sluice_request_replace request = {sluice_device(device), (int64_t)inode, flags};
    return sluice_connection_request(&client->connection, SLUICE_REQUEST_REPLACE,
                                     SLUICE_BODY_AND(request, path), NULL);
}

int sluice_client_open(struct sluice_client *client, int type, const struct sluice_body *body,
                       struct sluice_disposition *disposition, char *path, size_t capacity)
{
    struct sluice_reply_opened answer;
    const int error = sluice_connection_request(&client->connection, type, body,
                                                &(struct sluice_reply){.fields = &answer,
                                                                       .length = sizeof answer,
                                                                       .elements = path,
                                                                       .element_length = 1,
                                                                       .capacity = capacity});
    if (error != 0)
        return error;
    if (answer.disposition != SLUICE_REQUEST_PLAIN
        && (answer.entry < 0 || (uint32_t)answer.entry >= client->segment->image_count)) {
        return sluice_failure(EBADMSG, "the I/O process named image entry %d of %u", answer.entry,
                              client->segment->image_count);
    }
    *disposition = (struct sluice_disposition){
        answer.disposition, answer.entry, (uint32_t)answer.image_id, answer.reason, answer.size};
    return 0;
}

int sluice_client_announce(struct sluice_client *client, struct sluice_request_open request,
                           const char *path, struct sluice_disposition *disposition)
{
    return sluice_client_open(client, SLUICE_REQUEST_OPEN, SLUICE_BODY_AND(request, path),
                              disposition, NULL, 0);
}
