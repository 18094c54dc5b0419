#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "failure.h"
#include "kernel.h"

#define SPINS 64
#define YIELDS 64

static int lose(struct sluice_connection *connection)
{
    atomic_store_explicit(&connection->lost, true, memory_order_relaxed);
    return sluice_failure(EIO, "the I/O process is gone; what it had not drained is missing from "
                               "the files, write them anew");
}

/* The address of the socket, by way of the directory's descriptor where the name is too long. */
static int address_of(const char *directory, struct sockaddr_un *address, int *directory_fd)
{
    address->sun_family = AF_UNIX;
    *directory_fd = -1;
    if ((size_t)snprintf(address->sun_path, sizeof address->sun_path, "%s/socket", directory)
        < sizeof address->sun_path) {
        return 0;
    }
    *directory_fd = sluice_kernel_open(directory, O_PATH | O_DIRECTORY);
    if (*directory_fd < 0) {
        return *directory_fd;
    }
    snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/socket", *directory_fd);
    return 0;
}

static int connect_socket(int fd, const char *directory)
{
    struct sockaddr_un address;
    int directory_fd;
    int error = address_of(directory, &address, &directory_fd);
    while (error == 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        if (errno != EINTR) {
            error = -errno;
        }
    }
    if (directory_fd >= 0) {
        sluice_kernel_close(directory_fd);
    }
    return error;
}

int sluice_connection_open(const char *directory, struct sluice_connection *connection)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int error = fd < 0 ? -errno : connect_socket(fd, directory);
    if (error != 0) {
        if (fd >= 0) {
            sluice_kernel_close(fd);
        }
        return sluice_failure(-error, "cannot reach the I/O process at %s/socket: %s; is it running?",
                              directory, strerror(-error));
    }
    connection->socket = fd;
    atomic_init(&connection->lost, false);
    pthread_mutex_init(&connection->request_lock, NULL);
    pthread_mutex_init(&connection->send_lock, NULL);
    return 0;
}

void sluice_connection_close(struct sluice_connection *connection)
{
    sluice_kernel_close(connection->socket);
}

static void consume(struct iovec **part, size_t *parts, size_t count)
{
    while (*parts > 0 && count >= (*part)->iov_len) {
        count -= (*part)->iov_len;
        (*part)++;
        (*parts)--;
    }
    if (*parts > 0) {
        (*part)->iov_base = (char *)(*part)->iov_base + count;
        (*part)->iov_len -= count;
    }
}

static int send_parts(struct sluice_connection *connection, struct iovec *part, size_t parts)
{
    while (parts > 0) {
        const struct msghdr frame = {.msg_iov = part, .msg_iovlen = parts};
        const ssize_t sent = sendmsg(connection->socket, &frame, MSG_NOSIGNAL);
        if (sent >= 0) {
            consume(&part, &parts, (size_t)sent);
        } else if (errno != EINTR) {
            return lose(connection);
        }
    }
    return 0;
}

static int send_frame(struct sluice_connection *connection, int type, const struct sluice_body *body)
{
    const size_t fields = body == NULL ? 0 : body->length;
    const char *string = body == NULL ? NULL : body->string;
    int32_t string_length = string == NULL ? 0 : (int32_t)strnlen(string, SLUICE_REQUEST_MAX_LENGTH);
    const size_t length = SLUICE_REQUEST_HEADER_LENGTH + fields
        + (string == NULL ? 0 : sizeof string_length + (size_t)string_length);
    if (length > SLUICE_REQUEST_MAX_LENGTH) {
        return sluice_failure(ENAMETOOLONG, "the name %.100s... is too long", string);
    }
    int32_t header[2] = {(int32_t)length, type};
    struct iovec parts[] = {
        {header, sizeof header},
        {body == NULL ? NULL : (void *)body->fields, fields},
        {&string_length, string == NULL ? 0 : sizeof string_length},
        {(void *)string, (size_t)string_length},
    };
    pthread_mutex_lock(&connection->send_lock);
    const int error = send_parts(connection, parts, sizeof parts / sizeof *parts);
    pthread_mutex_unlock(&connection->send_lock);
    return error;
}

static int receive(struct sluice_connection *connection, void *data, size_t length)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t got = recv(connection->socket, (char *)data + done, length - done, 0);
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return lose(connection);
        }
    }
    return 0;
}

/* Takes up to `wanted` bytes of what is left of the reply. */
static int take(struct sluice_connection *connection, void *data, size_t wanted, size_t *left)
{
    const size_t length = wanted < *left ? wanted : *left;
    *left -= length;
    return receive(connection, data, length);
}

static int skip(struct sluice_connection *connection, size_t left)
{
    char unwanted[256];
    int error = 0;
    while (error == 0 && left > 0) {
        error = take(connection, unwanted, sizeof unwanted, &left);
    }
    return error;
}

static int receive_elements(struct sluice_connection *connection, const struct sluice_reply *reply,
                            size_t *left)
{
    int32_t count = 0;
    if (*left < sizeof count) {
        return lose(connection);
    }
    const int error = take(connection, &count, sizeof count, left);
    if (error != 0) {
        return error;
    }
    if (count < 0 || (size_t)count > reply->capacity
        || (size_t)count * reply->element_length > *left) {
        return lose(connection);
    }
    if (reply->count != NULL) {
        *reply->count = (size_t)count;
    }
    return take(connection, reply->elements, (size_t)count * reply->element_length, left);
}

static int receive_body(struct sluice_connection *connection, const struct sluice_reply *reply,
                        size_t left)
{
    int error = 0;
    if (reply != NULL) {
        if (left < reply->length) {
            return lose(connection);
        }
        error = take(connection, reply->fields, reply->length, &left);
        if (error == 0 && reply->elements != NULL) {
            error = receive_elements(connection, reply, &left);
        }
    }
    return error == 0 ? skip(connection, left) : error;
}

static int receive_refusal(struct sluice_connection *connection, int status, size_t left)
{
    char sentence[400] = "";
    int error = take(connection, sentence, sizeof sentence - 1, &left);
    if (error == 0) {
        error = skip(connection, left);
    }
    return error != 0 ? error
                      : sluice_failure(-status, "%s", *sentence ? sentence : strerror(-status));
}

static int receive_reply(struct sluice_connection *connection, const struct sluice_reply *reply)
{
    int32_t header[2];
    const int error = receive(connection, header, sizeof header);
    if (error != 0) {
        return error;
    }
    if (header[0] < SLUICE_REQUEST_HEADER_LENGTH || header[0] > SLUICE_REQUEST_MAX_LENGTH
        || header[1] > 0 || header[1] < -4095) {
        return lose(connection);
    }
    const size_t left = (size_t)header[0] - SLUICE_REQUEST_HEADER_LENGTH;
    return header[1] == 0 ? receive_body(connection, reply, left)
                          : receive_refusal(connection, header[1], left);
}

int sluice_connection_request(struct sluice_connection *connection, int type,
                              const struct sluice_body *body, const struct sluice_reply *reply)
{
    int cancellable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
    pthread_mutex_lock(&connection->request_lock);
    int error = atomic_load_explicit(&connection->lost, memory_order_relaxed)
        ? lose(connection)
        : send_frame(connection, type, body);
    if (error == 0) {
        error = receive_reply(connection, reply);
    }
    pthread_mutex_unlock(&connection->request_lock);
    pthread_setcancelstate(cancellable, NULL);
    return error;
}

int sluice_connection_tell(struct sluice_connection *connection, int type,
                           const struct sluice_body *body)
{
    int cancellable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
    const int error = send_frame(connection, type, body);
    pthread_setcancelstate(cancellable, NULL);
    return error;
}

void sluice_connection_wake(struct sluice_connection *connection)
{
    sluice_connection_tell(connection, SLUICE_REQUEST_WAKE, NULL);
}

int sluice_connection_check(struct sluice_connection *connection)
{
    char next;
    const bool lost = atomic_load_explicit(&connection->lost, memory_order_relaxed);
    return lost || recv(connection->socket, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0
        ? lose(connection)
        : 0;
}

bool sluice_connection_pause(struct sluice_connection *connection, unsigned round)
{
    if (round < SPINS) {
#ifdef __x86_64__
        __builtin_ia32_pause();
#else
        __asm__ volatile("yield");
#endif
    } else if (round < SPINS + YIELDS) {
        sched_yield();
    } else {
        struct pollfd hangup = {.fd = connection->socket};
        if (poll(&hangup, 1, 1) > 0) {
            lose(connection);
        }
    }
    return !atomic_load_explicit(&connection->lost, memory_order_relaxed);
}
