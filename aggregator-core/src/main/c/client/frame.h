/*
 * Frames on a stream socket to the I/O process, as docs/format.md specifies them. The caller makes
 * sure that one thread sends and one receives at a time.
 */
#pragma once

#include <stddef.h>

#include "sluice_layout.h"

/* The body of a request: fields, then a string unless it is NULL. */
struct sluice_body {
    const void *fields;
    size_t length;
    const char *string;
};

/* Make a body of a structure or array, the second with a string behind it. */
#define SLUICE_BODY(of) (&(struct sluice_body){.fields = &(of), .length = sizeof(of)})
#define SLUICE_BODY_AND(of, text)                                                                  \
    (&(struct sluice_body){.fields = &(of), .length = sizeof(of), .string = text})

/*
 * The destination of a reply's body: fields, then a counted array unless `elements` is NULL. A
 * string is an array of single bytes. Further bytes of the body are skipped.
 */
struct sluice_reply {
    void *fields;
    size_t length;
    void *elements;
    size_t element_length;
    size_t capacity; /* of `elements`; more elements are an error */
    size_t *count;   /* count of the elements received, unless NULL */
};

/* Makes the destination of a reply that is one structure. */
#define SLUICE_REPLY(of) (&(struct sluice_reply){.fields = &(of), .length = sizeof(of)})

/*
 * Sends a request; `body` may be NULL. Returns 0, or -EPIPE when the stream has ended, or
 * -ENAMETOOLONG, and then nothing was sent.
 */
int sluice_frame_send(int socket, int type, const struct sluice_body *body);

/*
 * Receives a reply and its status; `reply` may be NULL. The status is 0 or the negative errno of a
 * refusal, whose sentence is kept. Returns 0, -EPIPE when the stream has ended, or -EBADMSG when
 * the reply makes no sense. The stream is useless then.
 */
int sluice_frame_receive(int socket, const struct sluice_reply *reply, int *status);
