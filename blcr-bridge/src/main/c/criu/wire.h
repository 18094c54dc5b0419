/*
 * The connection of a CRIU that streams its images. A request is a length of 32 bits and a message
 * with one string, the name of a file. A descriptor of a pipe follows beside one byte. A restore
 * waits for an answer in between. Exactly the bytes of each are read: a descriptor whose byte is
 * read as a part of something else would be lost.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The names by which CRIU looks for sockets in its images directory. */
#define SLUICE_WIRE_CAPTURE "streamer-capture.sock"
#define SLUICE_WIRE_SERVE "streamer-serve.sock"

enum sluice_wire_event {
    SLUICE_WIRE_NOTHING, /* nothing whole is there */
    SLUICE_WIRE_NAME,    /* `name` is asked for */
    SLUICE_WIRE_PIPE,    /* the pipe of the last name came */
    SLUICE_WIRE_END,     /* the other side has closed the connection */
    SLUICE_WIRE_FOREIGN, /* bytes came that are no request */
};

struct sluice_wire {
    int socket;    /* -1 for none */
    bool measured; /* `length` is whole */
    bool named;    /* the descriptor is next */
    size_t have;
    uint32_t length; /* of the message */
    uint8_t message[NAME_MAX + 8];
    char name[NAME_MAX + 1];
};

/*
 * Listens at a socket of this name. Returns the descriptor. Failures are negative errnos, told in
 * one line; -ENAMETOOLONG where CRIU would cut the path.
 */
int sluice_wire_listen(const char *directory, const char *name);

/* Begins with a connection that was accepted, without waiting. */
void sluice_wire_begin(struct sluice_wire *wire, int socket);

/* Reads what is there, up to the next event. *pipe is the caller's to close. */
enum sluice_wire_event sluice_wire_read(struct sluice_wire *wire, int *pipe);

/* Answers a restore. Without the file no descriptor follows. */
void sluice_wire_answer(struct sluice_wire *wire, bool exists);

/* Closes the connection, if there is one. */
void sluice_wire_close(struct sluice_wire *wire);
