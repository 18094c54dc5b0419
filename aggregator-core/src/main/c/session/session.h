/* The definitions of the types that sluice.h leaves opaque. */
#pragma once

#include <pthread.h>
#include <sys/queue.h>

#include "attachment.h"
#include "log.h"
#include "sluice.h"

/*
 * A session. `client` is NULL in a forked child until the child uses the session. The lock guards
 * every field, is taken before all locks of the client, and is not held during a request.
 */
struct sluice_session {
    pthread_mutex_t lock;
    struct sluice_client *client;
    char *directory;
    int rank;
    int ranks;
    int bound; /* 1: a checkpoint is given up when a process that began it ends */
    LIST_HEAD(, sluice_image) images;
    LIST_ENTRY(sluice_session) all; /* links the sessions of this process */
};

/* An image of a session. The lock of its log guards the position. */
struct sluice_image {
    struct sluice_log_image log;
    struct sluice_session *session;
    LIST_ENTRY(sluice_image) all; /* links the open images of the session, under its lock */
    int64_t checkpoint;
    int fd; /* the image's own file */
    int64_t position;
    unsigned forks; /* the count of forks at its creation; a forked child has a higher count */
    char name[];
};

/*
 * Returns the client of the session. Attaches anew in a forked child, or when the client has lost
 * its slot. NULL with *error set if that fails, or without a session.
 */
struct sluice_client *sluice_session_client(struct sluice_session *session, int *error);

/* Sends a request over the session's client, as sluice_connection_request() does. */
int sluice_session_request(struct sluice_session *session, int type, const struct sluice_body *body,
                           const struct sluice_reply *reply);

/* Returns -EBADF with a message: the session is NULL. */
int sluice_session_missing(void);

/* Returns -EINVAL with a message: the parameter of the name `what` is NULL. */
int sluice_session_null(const char *what);

/* Creates an image that is a copy of a file. The name is its path in the capture directory. */
int sluice_image_copy(struct sluice_session *session, int64_t checkpoint, const char *name,
                      sluice_image **image);

/* Returns 0, or -EINVAL with a message for what can be no image's name. */
int sluice_image_check(int64_t checkpoint, const char *name);

/*
 * Reads at most `length` bytes from a descriptor to the image's position, which is its end, and
 * moves the position on. The bytes of a pipe go straight into the open chunk, or at the threshold
 * into the image's file. Poll the descriptor first, as nothing here waits for bytes. Returns their
 * number, 0 at the end, or a negative errno; -EINTR and -EAGAIN leave all as it was.
 */
ssize_t sluice_image_fill(struct sluice_image *image, int source, size_t length);

/* Returns the id by which requests name the image. */
int32_t sluice_image_id(const sluice_image *image);

/*
 * The receiver of an image's bytes. The bytes come in no particular order. All of them come anew if
 * the I/O process is killed meanwhile.
 */
struct sluice_sink {
    void (*begin)(void *argument); /* called before the first byte of each attempt */

    /*
     * Returns the place for the byte at `offset` and the `*length` bytes that follow, and lowers
     * `*length` if there is less room. NULL: these bytes are not wanted. A `*length` of 0 ends the
     * reading.
     */
    void *(*place)(void *argument, int64_t offset, size_t *length);
    void *argument;
};

/*
 * Reads the image that this rank wrote as `name` in a committed checkpoint, without a copy in the
 * store. Memory that is zero already is not written for zeros. Returns 0, or a negative errno with
 * a sentence in sluice_message(). -EFAULT: a place cannot be written.
 */
int sluice_image_read(struct sluice_session *session, int64_t checkpoint, const char *name,
                      const struct sluice_sink *sink);

/* Returns the number of forks between this process and the first one that used the library. */
unsigned sluice_session_forks(void);
