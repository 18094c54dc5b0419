/* The command line of sluice run. */
#pragma once

#include <stdbool.h>

#include "store.h"

struct sluice_launch_options {
    const char *name;                       /* name of the I/O process; NULL for none */
    char store[SLUICE_LAUNCH_STORE_LENGTH]; /* an absolute path or a URI */
    const char *capture;                    /* NULL for none, only under sluice mpi */
    const char *profile;                    /* the trace's directory; NULL for none */
    bool counts_ranks; /* the launcher has to say how many ranks of this node write */
    bool restarts;     /* the I/O process tells the wave that the command begins with */
    bool needs;        /* the command cannot do without the I/O process */
    char **serve;      /* the options for `sluice serve`, NULL-terminated */
    char **command;    /* NULL-terminated, at least one */
};

/*
 * Reads the command line. A senseless one ends the process with one line and status 2. Without
 * --capture and SLUICE_CAPTURE, the working directory is captured.
 */
void sluice_launch_options_parse(int count, char **arguments,
                                 struct sluice_launch_options *options);
