/* The command line of sluice exec and sluice run. */
#pragma once

#include <stdbool.h>

struct sluice_exec_options {
    const char *name;    /* of the I/O process; NULL for none */
    const char *capture; /* NULL for none, under sluice mpi alone */
    const char *profile; /* the trace's directory; NULL for none */
    bool
        counts_ranks; /* how many ranks of this node write a checkpoint is for the launcher to say */
    bool restarts;    /* the I/O process says which wave the command begins with */
    char **serve;     /* the options for `sluice serve`, NULL-terminated */
    char **command;   /* NULL-terminated, at least one */
};

/*
 * Reads the command line; one that makes no sense ends the process with one line and status 2.
 * `capture`: what is captured where neither the command line nor SLUICE_CAPTURE says it; NULL when
 * that makes no sense.
 */
void sluice_exec_options_parse(int count, char **arguments, const char *capture,
                               struct sluice_exec_options *options);
