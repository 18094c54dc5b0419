/* This process's part of a checkpoint: begun, given up, completed and waited for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "service.h"
#include "session.h"
#include "writer_options.h"

/* Times in milliseconds. SILENCE: until the user is told what is waited for. LOOK: between looks. */
#define SLUICE_WRITER_SILENCE 60000
#define SLUICE_WRITER_LOOK 1000

#define SLUICE_WRITER_PIECE (1 << 20) /* bytes that are read at a time, and those of a pipe */

struct sluice_writer {
    struct sluice_writer_options *options;
    struct sluice_launch_service service;
    sluice_session *session;
    bool begun;       /* the checkpoint is this process's to give up */
    const char *loss; /* ends the line of a failure; NULL for nothing */
    pid_t command;    /* gets the signals that come; 0 for none */
    int signals;      /* a descriptor that tells of signals */
    int signal;       /* the first one that ends this process, 0 for none */
};

/* Has signals told by a descriptor, and the ends of children if asked for. */
void sluice_writer_listen(struct sluice_writer *writer, bool children);

/*
 * Finds or starts the I/O process, watches it, and listens to signals. Failures end the process
 * with one line.
 */
void sluice_writer_enter(struct sluice_writer *writer, struct sluice_writer_options *options,
                         bool children);

/* Notes a signal that came, as a command's ears do. */
void sluice_writer_hear(int signal, void *writer);

/* Handles the signals that came meanwhile. */
void sluice_writer_heed(struct sluice_writer *writer);

/*
 * Begins the checkpoint. A number that another process has ends the process, and so does a committed
 * one, unless it is to be replaced.
 */
void sluice_writer_begin(struct sluice_writer *writer);

/* Returns 0 while the checkpoint goes on, which any process that fails gives up for all. */
int sluice_writer_look(struct sluice_writer *writer);

/* Completes the part. Failures end the process. */
void sluice_writer_complete(struct sluice_writer *writer);

/*
 * Waits until the checkpoint is committed: for storage, and for the parts of other processes.
 * Returns 0, -EINTR after a line that tells of a signal, or another negative errno.
 */
int sluice_writer_await(struct sluice_writer *writer);

/* Leaves the I/O process after the commit. Returns 0, or the status of its failure. */
int sluice_writer_leave(struct sluice_writer *writer);

/* Ends this process after a line that says why. A checkpoint that it has begun is given up. */
_Noreturn void sluice_writer_end(struct sluice_writer *writer, int status);

/*
 * Ends this process for a failed call, with one line. The reason of another process comes first.
 */
_Noreturn void sluice_writer_fail(struct sluice_writer *writer, int error);
