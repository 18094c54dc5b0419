/*
 * The stream socket to the I/O process. Only one request is under way at a time. Frames without a
 * reply may go out meanwhile, so that a doorbell never waits for another request's answer.
 *
 * A killed I/O process may be resumed. A waiting client then connects anew, says who it is, and
 * repeats the request that got no reply. The connection is lost if no I/O process comes, or one of
 * another session. So it is if several come and fail without progress.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct sluice_connection;

/*
 * Tells a new connection, by sluice_connection_exchange(), who this process is. Returns 0, or the
 * negative errno of the refusal.
 */
typedef int sluice_greeting(struct sluice_connection *connection, void *greeter);

struct sluice_connection {
    int socket;                   /* keeps its number when the connection is made anew */
    uint64_t opened;              /* sluice_socket_number() of the first connection */
    _Atomic bool broken;          /* the I/O process is gone, perhaps to be resumed */
    _Atomic bool lost;            /* the connection is lost for good */
    _Atomic uint32_t resumptions; /* count of new connections */
    int64_t answered;             /* count of requests with a reply, without greetings */
    int64_t connected;            /* time of the last new connection in ms, 0 for never */
    int64_t stuck_since;          /* time of the last progress in ms, as noticed at a break */
    int64_t progress;             /* the session's count of finished work at that time */
    char *directory;
    sluice_greeting *greet; /* NULL: the connection is lost when it breaks */
    bool (*revive)(void *greeter);
    void *greeter;
    pthread_mutex_t request_lock; /* held from a request's first byte to its reply's last */
    pthread_mutex_t send_lock;    /* held while a frame is sent; inside request_lock */
};

/*
 * Connects to the I/O process of `directory`. `patience`, in milliseconds, limits the connect, and
 * each reply until sluice_connection_greet(); 0 for no limit.
 */
int sluice_connection_open(const char *directory, int patience,
                           struct sluice_connection *connection);
void sluice_connection_close(struct sluice_connection *connection);

/*
 * Lets the connection be made anew from here on when it breaks. `revive` is called before each
 * attempt; false gives up. `greet` is called on each new connection.
 */
void sluice_connection_greet(struct sluice_connection *connection, sluice_greeting *greet,
                             bool (*revive)(void *greeter), void *greeter);

/*
 * Returns whether the I/O process has ended: it removes its directory then, a killed one does not.
 */
bool sluice_connection_ended(const struct sluice_connection *connection);

/* Returns the wait for a killed I/O process to come back, in milliseconds. */
int64_t sluice_connection_patience(void);

/* Sends a request, waits for its reply and returns the reply's status. `reply` may be NULL. */
int sluice_connection_request(struct sluice_connection *connection, int type,
                              const struct sluice_body *body, const struct sluice_reply *reply);

/* Waits for the reply to a request that sluice_connection_tell() has sent, and returns its status. */
int sluice_connection_await(struct sluice_connection *connection, const struct sluice_reply *reply);

/*
 * Returns whether the descriptor still is the first connection's socket. A program may have closed
 * it, and the number may be another file's. Async-signal-safe.
 */
bool sluice_connection_is_open(const struct sluice_connection *connection);

/* Sends a request from within a greeting: takes no lock, and tries once. */
int sluice_connection_exchange(struct sluice_connection *connection, int type,
                               const struct sluice_body *body, const struct sluice_reply *reply);

/* Sends a request that has no reply, or one for sluice_connection_await(). */
int sluice_connection_tell(struct sluice_connection *connection, int type,
                           const struct sluice_body *body);

void sluice_connection_wake(struct sluice_connection *connection);

/* Returns 0 if there still is an I/O process, or -EIO. Costs one system call. */
int sluice_connection_check(struct sluice_connection *connection);

/*
 * Lets time pass while the I/O process works: spins, then yields, then sleeps for a millisecond,
 * depending on how often it was called before. False when the I/O process is gone for good.
 */
bool sluice_connection_pause(struct sluice_connection *connection, unsigned round);
