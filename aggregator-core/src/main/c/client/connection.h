/*
 * The stream socket to the I/O process. One request is under way at a time. Frames without a reply
 * may go out meanwhile, so that a doorbell never waits for another request's answer.
 *
 * An I/O process that was killed may be resumed. A client that waits for it then connects anew,
 * says who it is, and repeats the request that got no reply. Only when none comes, or one of
 * another session, is the connection lost; or when one comes after the other and the session does
 * not get on.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct sluice_connection;

/*
 * Says with sluice_connection_exchange who this process is, on a connection made anew: 0, or the
 * errno of the refusal.
 */
typedef int sluice_greeting(struct sluice_connection *connection, void *greeter);

struct sluice_connection {
    int socket;                   /* stays the same number when it is connected anew */
    _Atomic bool broken;          /* the I/O process is gone, or was */
    _Atomic bool lost;            /* for good */
    _Atomic uint32_t resumptions; /* how often it was connected anew */
    int64_t answered;             /* requests that had a reply, but for the greeting */
    int64_t connected;            /* when it was connected anew for the last time, 0 never */
    int64_t stuck_since; /* when the session got on for the last time, as is seen at a break */
    int64_t progress;    /* how far it had come then */
    char *directory;
    sluice_greeting *greet; /* NULL for a connection that is lost when it breaks */
    bool (*revive)(void *greeter);
    void *greeter;
    pthread_mutex_t request_lock; /* from a request's first byte to its reply's last */
    pthread_mutex_t send_lock;    /* while a frame is sent; inside request_lock */
};

/*
 * `patience`: how long to wait for the I/O process to connect, and for each reply until
 * sluice_connection_greet(), in milliseconds; 0 for as long as it takes.
 */
int sluice_connection_open(const char *directory, int patience,
                           struct sluice_connection *connection);
void sluice_connection_close(struct sluice_connection *connection);

/*
 * From here on the connection is made anew when it breaks. `revive` is called before each attempt,
 * and says whether to make it or to give up.
 */
void sluice_connection_greet(struct sluice_connection *connection, sluice_greeting *greet,
                             bool (*revive)(void *greeter), void *greeter);

/* How long to wait for a killed I/O process to come back, in milliseconds. */
int64_t sluice_connection_patience(void);

/* Sends a request and waits for its reply: its status. `reply` may be NULL. */
int sluice_connection_request(struct sluice_connection *connection, int type,
                              const struct sluice_body *body, const struct sluice_reply *reply);

/* The same from within a greeting: without a lock, and once. */
int sluice_connection_exchange(struct sluice_connection *connection, int type,
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
 * depending on how often it was called before. False when the I/O process is gone for good.
 */
bool sluice_connection_pause(struct sluice_connection *connection, unsigned round);
