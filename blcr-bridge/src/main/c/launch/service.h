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
    char start_file[PATH_MAX + 300]; /* beside the directory */
    const struct sluice_launch_options *options;
    char **environment; /* the I/O process's: as before the command was captured */
    struct sluice_connection connection;
    pid_t server;                /* the last I/O process that this process started, 0 for none */
    int failures;                /* vain attempts to resume it, in a row */
    int64_t next_try;            /* time of the next attempt, by sluice_clock_ms() */
    bool alone;                  /* nobody else may join */
    bool told;                   /* the user knows that no I/O process came, and what is kept */
    _Atomic int64_t stopping[2]; /* ms of the first and last signal to stop; 0 for none */
    struct sluice_launch_inherited inherited;
    bool watched; /* `watcher` runs */
    pthread_t watcher;
};

/*
 * Joins the I/O process of that name, or else starts one for this command alone. Ends the process
 * with one line when that fails, for example when the I/O process has another store. Where the start
 * is too slow, the command runs without Sluice, and the process ends as it does. `options` are kept.
 */
void sluice_launch_service_start(struct sluice_launch_service *service,
                                 const struct sluice_launch_options *options);

/*
 * Joins the I/O process of the node, which the first of all asking ranks starts. Ends the process
 * when that fails, or is too slow, as above. The rank that saw the failure says why in one line.
 * `options` are kept.
 */
void sluice_launch_service_join(struct sluice_launch_service *service,
                                const struct sluice_launch_options *options);

/*
 * Watches the I/O process until this process leaves it. A killed one is resumed: each rank watches
 * it, and the first to notice starts another.
 */
void sluice_launch_service_watch(struct sluice_launch_service *service);

/*
 * Leaves the I/O process, with this process's exit status. The last rank of the node waits until
 * everything is drained and committed; stopping.h tells for how long. SIGTERM and SIGINT are
 * blocked. Returns 0, or the exit status for the I/O process's failure; SLUICE_STATUS_PREEMPTED if
 * the grace was over before.
 */
int sluice_launch_service_leave(struct sluice_launch_service *service, int status);

/*
 * Runs the command, captured, and watches and leaves the I/O process as above. Returns the command's
 * exit status or, where that is 0, the status of the I/O process's failure. If the grace was over
 * before, returns SLUICE_STATUS_PREEMPTED.
 */
int sluice_launch_service_use(struct sluice_launch_service *service);
