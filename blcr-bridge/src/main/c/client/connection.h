/*
 * The stream socket to the I/O process. One request is under way at a time; frames without a reply
 * may go out meanwhile, so that a doorbell never waits for somebody else's answer.
 */
#ifndef SLUICE_CONNECTION_H
#define SLUICE_CONNECTION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice_layout.h"

struct sluice_connection {
    int socket;
    _Atomic bool lost;            /* the I/O process is gone; for good */
    pthread_mutex_t request_lock; /* from a request's first byte to its reply's last */
    pthread_mutex_t send_lock;    /* while a frame is sent; inside request_lock */
};

/* The body of a request: fields, then a string unless it is NULL. */
struct sluice_body {
    const void *fields;
    size_t length;
    const char *string;
};

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

int sluice_connection_open(const char *directory, struct sluice_connection *connection);
void sluice_connection_close(struct sluice_connection *connection);

/* Sends a request and waits for its reply: its status. `reply` may be NULL. */
int sluice_connection_request(struct sluice_connection *connection, int type,
                              const struct sluice_body *body, const struct sluice_reply *reply);

/* Sends a request that has no reply. */
int sluice_connection_tell(struct sluice_connection *connection, int type,
                           const struct sluice_body *body);

/* The doorbell. */
void sluice_connection_wake(struct sluice_connection *connection);

/* Whether there still is an I/O process: 0, or -EIO. One system call. */
int sluice_connection_check(struct sluice_connection *connection);

/*
 * Lets time pass while the I/O process works: spins, then yields, then sleeps for a millisecond,
 * depending on how often it was called before. False when the I/O process is gone.
 */
bool sluice_connection_pause(struct sluice_connection *connection, unsigned round);

#endif
