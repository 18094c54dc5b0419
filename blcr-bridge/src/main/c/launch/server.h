/* An I/O process, `sluice serve`, that this process starts and that may outlive it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "options.h"

/* No exit status: the I/O process was too slow to start, and the command can do without it. */
#define SLUICE_LAUNCH_SLOW 254

/*
 * Returns 0 once the I/O process is ready; otherwise what to exit with, or SLUICE_LAUNCH_SLOW, after it or this function
 * has said why. `environment` is not that of the command, which is captured. `resumes`: the I/O
 * process goes on where a killed one left off. `server` gets its pid. The wave that a job begins with is
 * in the environment of this process then.
 */
int sluice_launch_server_start(const struct sluice_launch_options *options, char **environment,
                               bool resumes, pid_t *server);

/* Waits for its end. Returns its exit status; 1 when it was killed, after saying so. */
int sluice_launch_server_await(pid_t server);
