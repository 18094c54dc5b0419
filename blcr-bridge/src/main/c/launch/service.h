/* The I/O process around a command: found or started, joined, resumed when it is killed, left. */
#pragma once

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "connection.h"
#include "inherited.h"
#include "options.h"

struct sluice_launch_service {
    char directory[PATH_MAX + 256];
    char start_file[PATH_MAX + 300]; /* beside it */
    const struct sluice_launch_options *options;
    char **environment; /* of the I/O process: as it was before the command was captured */
    struct sluice_connection connection;
    pid_t server;                /* the last one that this process started, 0 for none */
    int failures;                /* to resume it, in a row */
    int64_t next_try;            /* when it may be tried again */
    bool alone;                  /* nobody else may join */
    bool told;                   /* that none came, and what is kept */
    _Atomic int64_t stopping[2]; /* first and last signal to stop, by sluice_clock_ms; 0 for none */
    struct sluice_launch_inherited inherited;
    bool watched; /* by this thread: */
    pthread_t watcher;
};

/*
 * Joins the I/O process of that name, or else starts one for this command alone. Ends the process when that fails, as
 * when that one has another store; one line says why. Where the start is too slow the command runs without Sluice, and
 * the process ends as it does. `options` are kept.
 */
void sluice_launch_service_start(struct sluice_launch_service *service,
                                 const struct sluice_launch_options *options);

/*
 * Joins the I/O process of the node, which the first of all ranks that ask starts. Ends the process when that fails, or
 * is too slow, as above; one line says why, from the rank that saw it fail.
 * `options` are kept.
 */
void sluice_launch_service_join(struct sluice_launch_service *service,
                                const struct sluice_launch_options *options);

/*
 * Runs the command, captured. Meanwhile the I/O process is resumed when it is killed: each rank
 * watches it, the first to see it starts another. At the end the last rank of the node to leave
 * waits until everything is drained and committed, see stopping.h for how long. Returns the
 * command's exit status, or, where that is 0, what says that the I/O process failed. It returns
 * SLUICE_STATUS_PREEMPTED, whatever the command's is, where the grace was over before.
 */
int sluice_launch_service_use(struct sluice_launch_service *service);
