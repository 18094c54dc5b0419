/* The command line of sluice run. */
#pragma once

#include <stdbool.h>

#include "store.h"

struct sluice_launch_options {
    const char *name;                       /* of the I/O process; NULL for none */
    char store[SLUICE_LAUNCH_STORE_LENGTH]; /* an absolute path or a URI */
    const char *capture;                    /* NULL for none, under sluice mpi alone */
    const char *profile;                    /* the trace's directory; NULL for none */
    bool
        counts_ranks; /* how many ranks of this node write a checkpoint is for the launcher to say */
    bool restarts;    /* the I/O process says which wave the command begins with */
    char **serve;     /* the options for `sluice serve`, NULL-terminated */
    char **command;   /* NULL-terminated, at least one */
};

/*
 * Reads the command line; one that makes no sense ends the process with one line and status 2.
 * Where neither that nor SLUICE_CAPTURE says it, the working directory is captured.
 */
void sluice_launch_options_parse(int count, char **arguments,
                                 struct sluice_launch_options *options);
