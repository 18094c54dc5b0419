/* The command line of sluice put. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

struct sluice_put_options {
    struct sluice_launch_options service; /* its `command` may be empty: the stream is our input */
    int64_t checkpoint;
    const char *name;
    int rank;
    int ranks;
    bool joins;    /* other processes put the other ranks of the checkpoint */
    int64_t bytes; /* the length of the whole stream, -1 unknown */
    bool trailer;  /* the last line is the SHA-256 of the bytes before */
    bool trusts;   /* the end of the pipe is the end of the stream */
    bool replaces; /* a committed checkpoint of this number */
    bool json;
};

/* Reads the command line. A senseless one ends the process with one line and status 2. */
void sluice_put_options_parse(int count, char **arguments, struct sluice_put_options *options);
