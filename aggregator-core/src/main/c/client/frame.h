/*
 * Frames on a stream socket to the I/O process, as docs/format.md specifies them. Who sends and who
 * receives at a time is the caller's to see to.
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

/* One of a structure or array, and one with a text behind it. */
#define SLUICE_BODY(of) (&(struct sluice_body){.fields = &(of), .length = sizeof(of)})
#define SLUICE_BODY_AND(of, text)                                                                  \
    (&(struct sluice_body){.fields = &(of), .length = sizeof(of), .string = text})

/*
 * Where a reply's body goes: fields, then, where `elements` is not NULL, a counted array: a string
 * is one of single bytes. What comes behind is skipped.
 */
struct sluice_reply {
    void *fields;
    size_t length;
    void *elements;
    size_t element_length;
    size_t capacity; /* elements; more of them are an error */
    size_t *count;   /* how many came, unless NULL */
};

/* To one structure. */
#define SLUICE_REPLY(of) (&(struct sluice_reply){.fields = &(of), .length = sizeof(of)})

/*
 * Sends a request, of which `body` may be NULL: 0, -EPIPE when the stream has ended, or
 * -ENAMETOOLONG, of which nothing is sent.
 */
int sluice_frame_send(int socket, int type, const struct sluice_body *body);

/*
 * Receives a reply, of which `reply` may be NULL, and its status: 0, or the negative errno of a
 * refusal, whose sentence is kept. Returns 0, -EPIPE when the stream has ended, or -EBADMSG when the
 * reply makes no sense, and with it what follows.
 */
int sluice_frame_receive(int socket, const struct sluice_reply *reply, int *status);
