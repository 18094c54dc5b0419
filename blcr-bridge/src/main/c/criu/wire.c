#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "status.h"

/* Protocol Buffers: field 1 of a length, field 1 of a number. */
#define STRING 0x0a
#define NUMBER 0x08

int sluice_wire_listen(const char *directory, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int length =
        snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", directory, name);
    if ((size_t)length >= sizeof address.sun_path) {
        sluice_launch_say("%s: the path of %s has %d bytes, and a socket's at most %zu; take a "
                          "shorter directory",
                          directory, name, length, sizeof address.sun_path - 1);
        return -ENAMETOOLONG;
    }
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0
        && listen(listener, 1) == 0) {
        return listener;
    }
    const int error = errno;
    sluice_launch_say("cannot listen at %s: %s%s", address.sun_path, strerror(error),
                      error == EADDRINUSE ? "; remove it if nobody listens there" : "");
    if (listener >= 0)
        close(listener);
    return -error;
}

void sluice_wire_begin(struct sluice_wire *wire, int socket)
{
    *wire = (struct sluice_wire){.socket = socket};
}

/* Reads `length` bytes of a frame, over several calls. Returns 1, or 0 as long as some lack. */
static int fill(struct sluice_wire *wire, void *frame, size_t length)
{
    while (wire->have < length) {
        const ssize_t count =
            recv(wire->socket, (char *)frame + wire->have, length - wire->have, MSG_DONTWAIT);
        if (count == 0)
            return -EPIPE;
        if (count < 0 && errno != EINTR)
            return errno == EAGAIN ? 0 : -errno;
        wire->have += count > 0 ? (size_t)count : 0;
    }
    wire->have = 0;
    return 1;
}

/* Takes the name out of the message. */
static bool parse(struct sluice_wire *wire)
{
    const uint8_t *message = wire->message;
    size_t length = message[1];
    size_t at = 2;
    if (length >= 0x80) /* a name of 128 bytes and more */
        length = (length & 0x7f) | (size_t)message[at++] << 7;
    if (message[0] != STRING || length == 0 || length > NAME_MAX || at + length != wire->length
        || memchr(message + at, 0, length) != NULL) {
        return false;
    }
    memcpy(wire->name, message + at, length);
    wire->name[length] = 0;
    return true;
}

static enum sluice_wire_event read_name(struct sluice_wire *wire)
{
    const bool fresh = !wire->measured && wire->have == 0;
    int filled = wire->measured ? 1 : fill(wire, &wire->length, sizeof wire->length);
    wire->measured = filled > 0;
    if (fresh && wire->have == 0 && (filled == -EPIPE || filled == -ECONNRESET))
        return SLUICE_WIRE_END;
    if (filled > 0 && (wire->length < 3 || wire->length > sizeof wire->message))
        return SLUICE_WIRE_FOREIGN;
    if (filled > 0)
        filled = fill(wire, wire->message, wire->length);
    if (filled <= 0)
        return filled == 0 ? SLUICE_WIRE_NOTHING : SLUICE_WIRE_FOREIGN;
    wire->named = parse(wire);
    wire->measured = false;
    return wire->named ? SLUICE_WIRE_NAME : SLUICE_WIRE_FOREIGN;
}

/* Closes the descriptors of a message, so that nobody waits for their ends. */
static void close_all(const struct cmsghdr *message)
{
    const size_t count = (message->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++)
        close(((const int *)CMSG_DATA(message))[i]);
}

static enum sluice_wire_event read_pipe(struct sluice_wire *wire, int *pipe)
{
    char byte;
    struct iovec vector = {&byte, 1};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof *pipe)];
    struct msghdr header = {.msg_iov = &vector,
                            .msg_iovlen = 1,
                            .msg_control = control,
                            .msg_controllen = sizeof control};
    const ssize_t count = recvmsg(wire->socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return SLUICE_WIRE_NOTHING;
    const struct cmsghdr *first = count > 0 ? CMSG_FIRSTHDR(&header) : NULL;
    if (first == NULL || first->cmsg_type != SCM_RIGHTS)
        return SLUICE_WIRE_FOREIGN;
    memcpy(pipe, CMSG_DATA(first), sizeof *pipe);
    if (first->cmsg_len != CMSG_LEN(sizeof *pipe)) {
        close_all(first);
        return SLUICE_WIRE_FOREIGN;
    }
    wire->named = false;
    return SLUICE_WIRE_PIPE;
}

enum sluice_wire_event sluice_wire_read(struct sluice_wire *wire, int *pipe)
{
    return wire->named ? read_pipe(wire, pipe) : read_name(wire);
}

void sluice_wire_answer(struct sluice_wire *wire, bool exists)
{
    const uint8_t answer[2] = {NUMBER, exists};
    const uint32_t length = sizeof answer;
    uint8_t frame[sizeof length + sizeof answer];
    memcpy(frame, &length, sizeof length);
    memcpy(frame + sizeof length, answer, sizeof answer);
    send(wire->socket, frame, sizeof frame, MSG_NOSIGNAL); /* the end tells where nobody reads */
    wire->named = exists;
}

void sluice_wire_close(struct sluice_wire *wire)
{
    if (wire->socket >= 0)
        close(wire->socket);
    wire->socket = -1;
}
