/* What sluice.h leaves opaque. */
#pragma once

#include <pthread.h>
#include <sys/queue.h>

#include "attachment.h"
#include "log.h"
#include "sluice.h"

/*
 * `client` is NULL in a forked child until it uses the session. The lock guards every field; it is
 * taken before all locks of the client, and not held during a request.
 */
struct sluice_session {
    pthread_mutex_t lock;
    struct sluice_client *client;
    char *directory;
    int rank;
    int ranks;
    LIST_HEAD(, sluice_image) images; /* open ones */
    LIST_ENTRY(sluice_session) all;   /* sessions of this process */
};

/* One of a session's. The lock of its log guards the position. */
struct sluice_image {
    struct sluice_log_image log;
    struct sluice_session *session;
    LIST_ENTRY(sluice_image) all; /* open images of the session; its lock guards them */
    int64_t checkpoint;
    int fd; /* of the image's own file */
    int64_t position;
    unsigned forks; /* when it was created; in a forked child there were more */
    char name[];
};

/* The client of the session, attached anew in a forked child or when adrift; NULL with *error set otherwise, or without a session. */
struct sluice_client *sluice_session_client(struct sluice_session *session, int *error);

/* A request of the session's client, as sluice_connection_request() has it. */
int sluice_session_request(struct sluice_session *session, int type, const struct sluice_body *body,
                           const struct sluice_reply *reply);

/* -EBADF: instead of a session there is NULL. */
int sluice_session_missing(void);

/* -EINVAL: instead of another parameter, which is called so, there is NULL. */
int sluice_session_null(const char *what);

/* The id by which requests name an image. */
int32_t sluice_image_id(const sluice_image *image);

/* Where the bytes of an image go. They come in no particular order, and all anew if the I/O process is killed meanwhile. */
struct sluice_sink {
    void (*begin)(void *argument); /* all bytes come from here on */

    /*
     * The place of the byte at `offset`, with room for the `*length` bytes that follow, or for fewer, as it says then. NULL:
     * nobody wants them. No length: those that came are enough.
     */
    void *(*place)(void *argument, int64_t offset, size_t *length);
    void *argument;
};

/*
 * Reads what this rank wrote as `name` in a committed checkpoint into memory, without a copy in the store: 0, or a negative
 * errno, and sluice_message() says why. -EFAULT: a place cannot be written. Memory that is zero already is not written.
 */
int sluice_image_read(struct sluice_session *session, int64_t checkpoint, const char *name,
                      const struct sluice_sink *sink);

/* How many forks lie between this process and the first one that used the library. */
unsigned sluice_session_forks(void);
