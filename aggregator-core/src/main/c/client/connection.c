#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "failure.h"
#include "kernel.h"
#include "memory.h"
#include "sluice_layout.h"
#include "socket.h"

#define SPINS 64
#define YIELDS 64

/*
 * The wait for an I/O process to come back, in milliseconds, unless SLUICE_PATIENCE says seconds.
 */
#define PATIENCE 30000

#define LONGEST_NAP 50

static int mark_broken(struct sluice_connection *connection)
{
    atomic_store_explicit(&connection->broken, true, memory_order_relaxed);
    return -EPIPE;
}

static bool is_broken(const struct sluice_connection *connection)
{
    return atomic_load_explicit(&connection->broken, memory_order_relaxed);
}

static bool is_lost(const struct sluice_connection *connection)
{
    return atomic_load_explicit(&connection->lost, memory_order_relaxed);
}

/* Returns whether there is a journal, which a killed I/O process leaves to its successor. */
static bool has_journal(const struct sluice_connection *connection)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/journal", connection->directory);
    return access(path, F_OK) == 0;
}

static int lose(struct sluice_connection *connection)
{
    atomic_store_explicit(&connection->lost, true, memory_order_relaxed);
    if (has_journal(connection)) {
        return sluice_failure(EIO,
                              "the I/O process is gone: what it had not drained is kept; bash "
                              "'%s/resume' brings it to storage",
                              connection->directory);
    }
    return sluice_failure(EIO,
                          "the I/O process is gone: %s; what it had not drained is missing "
                          "from the files, write them anew",
                          connection->directory);
}

int sluice_connection_open(const char *directory, int patience,
                           struct sluice_connection *connection)
{
    const int fd = sluice_socket_make();
    if (fd >= 0 && patience > 0)
        sluice_socket_limit(fd, patience);
    const int error = fd < 0 ? fd : sluice_socket_connect(fd, directory);
    if (error != 0) {
        if (fd >= 0)
            sluice_kernel_close(fd);
        return sluice_failure(-error, "no I/O process answers at %s/socket: %s; start one",
                              directory, sluice_failure_reason(-error));
    }
    *connection = (struct sluice_connection){.socket = fd,
                                             .opened = sluice_socket_number(fd),
                                             .directory = sluice_memory_copy(directory)};
    if (connection->directory == NULL) {
        sluice_kernel_close(fd);
        return sluice_failure(ENOMEM, "no memory to reach the I/O process");
    }
    pthread_mutex_init(&connection->request_lock, NULL);
    pthread_mutex_init(&connection->send_lock, NULL);
    return 0;
}

void sluice_connection_close(struct sluice_connection *connection)
{
    if (connection->socket >= 0)
        sluice_kernel_close(connection->socket);
    sluice_memory_give(connection->directory);
}

static int send_frame(struct sluice_connection *connection, int type,
                      const struct sluice_body *body)
{
    pthread_mutex_lock(&connection->send_lock);
    const int error = sluice_frame_send(connection->socket, type, body);
    if (error == -EPIPE)
        mark_broken(connection);
    pthread_mutex_unlock(&connection->send_lock);
    return error;
}

static int receive_reply(struct sluice_connection *connection, const struct sluice_reply *reply)
{
    int status = 0;
    const int error = sluice_frame_receive(connection->socket, reply, &status);
    return error == -EPIPE ? mark_broken(connection) : error != 0 ? lose(connection) : status;
}

int sluice_connection_exchange(struct sluice_connection *connection, int type,
                               const struct sluice_body *body, const struct sluice_reply *reply)
{
    const int error = send_frame(connection, type, body);
    return error == 0 ? receive_reply(connection, reply) : error;
}

int64_t sluice_connection_patience(void)
{
    const char *seconds = getenv("SLUICE_PATIENCE");
    if (seconds == NULL || *seconds == '\0' || seconds[strspn(seconds, "0123456789.")] != '\0')
        return PATIENCE;
    char *end; /* not strtod(), which depends on the program's locale */
    const long long whole = strtoll(seconds, &end, 10);
    int64_t given = (whole < INT_MAX ? whole : INT_MAX) * 1000;
    const char *digit = end + (*end == '.');
    for (int worth = 100; worth > 0 && *digit >= '0' && *digit <= '9'; worth /= 10)
        given += worth * (*digit++ - '0');
    return given;
}

bool sluice_connection_ended(const struct sluice_connection *connection)
{
    return access(connection->directory, F_OK) != 0;
}

/*
 * Makes one attempt to connect. False when no I/O process listens, or when it dies at once. The new
 * socket takes the old one's number, under send_lock, so that a thread that sends meanwhile uses
 * one of the two.
 */
static bool try_again(struct sluice_connection *connection)
{
    const int fd = sluice_socket_make();
    const bool connected = fd >= 0 && sluice_socket_connect(fd, connection->directory) == 0;
    if (connected) {
        pthread_mutex_lock(&connection->send_lock);
        sluice_kernel_call(SYS_dup3, fd, connection->socket, O_CLOEXEC);
        atomic_store_explicit(&connection->broken, false, memory_order_relaxed);
        pthread_mutex_unlock(&connection->send_lock);
    }
    if (fd >= 0)
        sluice_kernel_close(fd);
    if (!connected)
        return false;
    const int error = connection->greet(connection, connection->greeter);
    if (is_broken(connection))
        return false;
    if (error != 0) {
        lose(connection);
        return false;
    }
    atomic_fetch_add_explicit(&connection->resumptions, 1, memory_order_relaxed);
    return true;
}

/* Returns the count of work that the session has finished for good; 0 where it is unknown. */
static int64_t progress_of(const struct sluice_connection *connection)
{
    char path[PATH_MAX];
    int64_t progress = 0;
    if ((size_t)snprintf(path, sizeof path, "%s/inflight", connection->directory) < sizeof path) {
        const int fd = sluice_kernel_open(path, O_RDONLY);
        if (fd >= 0) {
            sluice_kernel_pread(fd, &progress, sizeof progress, SLUICE_IN_FLIGHT_PROGRESS_OFFSET);
            sluice_kernel_close(fd);
        }
    }
    return progress;
}

/*
 * Sets the end of the wait; false when the wait is over. I/O processes that come and fail without
 * progress get no more time than one that does not come. The caller holds request_lock.
 */
static bool is_patient(struct sluice_connection *connection, int64_t *end)
{
    const int64_t now = sluice_clock_ms();
    const int64_t patience = sluice_connection_patience();
    const int64_t progress = progress_of(connection);
    if (connection->stuck_since == 0 || progress != connection->progress
        || now - connection->connected > patience) {
        connection->stuck_since = now;
        connection->progress = progress;
    }
    *end = connection->stuck_since + patience;
    return now <= *end;
}

/* Connects anew, waiting for an I/O process to listen. The caller holds request_lock. */
static int reconnect(struct sluice_connection *connection)
{
    int64_t end;
    const bool patient = is_patient(connection, &end);
    long nap = 1;
    while (patient && connection->greet != NULL && !is_lost(connection)
           && !sluice_connection_ended(connection) && connection->revive(connection->greeter)) {
        if (try_again(connection)) {
            connection->connected = sluice_clock_ms();
            return 0;
        }
        if (sluice_clock_ms() >= end)
            break;
        nanosleep(&(struct timespec){.tv_nsec = nap * 1000000}, NULL);
        nap = nap * 2 < LONGEST_NAP ? nap * 2 : LONGEST_NAP;
    }
    return lose(connection);
}

void sluice_connection_greet(struct sluice_connection *connection, sluice_greeting *greet,
                             bool (*revive)(void *greeter), void *greeter)
{
    sluice_socket_limit(connection->socket, 0);
    connection->greet = greet;
    connection->revive = revive;
    connection->greeter = greeter;
    connection->answered = 0;
}

/*
 * Connects anew if the connection is broken: 0, or -EIO when it is lost. The caller holds
 * request_lock.
 */
static int restore(struct sluice_connection *connection)
{
    if (is_lost(connection))
        return lose(connection);
    return is_broken(connection) ? reconnect(connection) : 0;
}

/* Disables the cancellation of this thread, which would leave a lock behind. */
static int forbid_cancellation(void)
{
    int former;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &former);
    return former;
}

/* Sends a request, anew on each connection that breaks. The caller holds request_lock. */
static int send_until_sent(struct sluice_connection *connection, int type,
                           const struct sluice_body *body, bool replied,
                           const struct sluice_reply *reply)
{
    int error;
    do {
        error = restore(connection);
        if (error == 0)
            error = send_frame(connection, type, body);
        if (error == 0 && replied)
            error = receive_reply(connection, reply);
    } while (is_broken(connection) && !is_lost(connection));
    return error;
}

int sluice_connection_request(struct sluice_connection *connection, int type,
                              const struct sluice_body *body, const struct sluice_reply *reply)
{
    const int cancellable = forbid_cancellation();
    pthread_mutex_lock(&connection->request_lock);
    const int error = send_until_sent(connection, type, body, true, reply);
    connection->answered++;
    connection->stuck_since = 0;
    pthread_mutex_unlock(&connection->request_lock);
    pthread_setcancelstate(cancellable, NULL);
    return error;
}

int sluice_connection_await(struct sluice_connection *connection, const struct sluice_reply *reply)
{
    const int cancellable = forbid_cancellation();
    pthread_mutex_lock(&connection->request_lock);
    sluice_socket_limit(connection->socket, 0);
    const int error = receive_reply(connection, reply);
    pthread_mutex_unlock(&connection->request_lock);
    pthread_setcancelstate(cancellable, NULL);
    return error;
}

bool sluice_connection_is_open(const struct sluice_connection *connection)
{
    return sluice_socket_number(connection->socket) == connection->opened;
}

int sluice_connection_tell(struct sluice_connection *connection, int type,
                           const struct sluice_body *body)
{
    const int cancellable = forbid_cancellation();
    int error = send_frame(connection, type, body);
    if (is_broken(connection)) {
        pthread_mutex_lock(&connection->request_lock);
        error = send_until_sent(connection, type, body, false, NULL);
        pthread_mutex_unlock(&connection->request_lock);
    }
    pthread_setcancelstate(cancellable, NULL);
    return error;
}

/*
 * Rings the doorbell. A broken connection needs no retry: the next I/O process looks at all rings
 * first. A thread that holds request_lock greets it, too, and makes it look again.
 */
void sluice_connection_wake(struct sluice_connection *connection)
{
    const int cancellable = forbid_cancellation();
    send_frame(connection, SLUICE_REQUEST_WAKE, NULL);
    if (is_broken(connection) && !is_lost(connection) && connection->greet != NULL
        && pthread_mutex_trylock(&connection->request_lock) == 0) {
        if (is_broken(connection) && connection->revive(connection->greeter))
            try_again(connection);
        pthread_mutex_unlock(&connection->request_lock);
    }
    pthread_setcancelstate(cancellable, NULL);
}

/*
 * Returns whether the other end is closed, waiting up to `milliseconds` for that. A read would not
 * do: it fails once first if the other end left bytes unread.
 */
static bool hangs_up(const struct sluice_connection *connection, int milliseconds)
{
    struct pollfd hangup = {.fd = connection->socket};
    return poll(&hangup, 1, milliseconds) > 0;
}

/*
 * Looks for a hangup and connects anew. The caller holds request_lock, so that no other thread
 * replaces the socket meanwhile.
 */
static int check_locked(struct sluice_connection *connection)
{
    if (!is_lost(connection) && hangs_up(connection, 0))
        mark_broken(connection);
    return restore(connection);
}

int sluice_connection_check(struct sluice_connection *connection)
{
    const int cancellable = forbid_cancellation();
    pthread_mutex_lock(&connection->request_lock);
    const int error = check_locked(connection);
    pthread_mutex_unlock(&connection->request_lock);
    pthread_setcancelstate(cancellable, NULL);
    return error;
}

/*
 * Waits a millisecond for a hangup, since nothing will happen without an I/O process. A thread that
 * holds request_lock notices a hangup itself, and may have connected anew by now.
 */
static void wait_for_hangup(struct sluice_connection *connection)
{
    if (!hangs_up(connection, 1) && !is_broken(connection))
        return;
    if (pthread_mutex_trylock(&connection->request_lock) == 0) {
        check_locked(connection);
        pthread_mutex_unlock(&connection->request_lock);
    } else {
        poll(NULL, 0, 1);
    }
}

bool sluice_connection_pause(struct sluice_connection *connection, unsigned round)
{
    if (round >= SPINS + YIELDS)
        wait_for_hangup(connection);
    else if (round >= SPINS)
        sched_yield();
    else
#ifdef __x86_64__
        __builtin_ia32_pause();
#else
        __asm__ volatile("yield");
#endif
    return !is_lost(connection);
}
