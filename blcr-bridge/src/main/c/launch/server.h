/* An I/O process, `sluice serve`, that this process starts and that may outlive it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "options.h"

/* No exit status: the I/O process was too slow to start, and the command can do without it. */
#define SLUICE_LAUNCH_SLOW 254

/*
 * Starts an I/O process. Returns 0 once it is ready, otherwise the exit status or SLUICE_LAUNCH_SLOW,
 * after a line that says why. `environment` is the I/O process's, not that of the captured command.
 * `resumes`: it goes on where a killed one left off. `server` becomes its pid. The wave that a job
 * begins with is then in this process's environment.
 */
int sluice_launch_server_start(const struct sluice_launch_options *options, char **environment,
                               bool resumes, pid_t *server);

/*
 * Waits for the end of an I/O process. Returns its exit status; 1, after a line that says so, when
 * it was killed.
 */
int sluice_launch_server_await(pid_t server);
