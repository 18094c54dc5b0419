/* The command line of sluice put. */
#pragma once

#include "writer_options.h"

struct sluice_put_options {
    struct sluice_writer_options writer; /* its command may be empty: the stream is our input */
    const char *name;
    int64_t bytes; /* the length of the whole stream, -1 unknown */
    bool trailer;  /* the last line is the SHA-256 of the bytes before */
    bool trusts;   /* the end of the pipe is the end of the stream */
};

/* Reads the command line. A senseless one ends the process with one line and status 2. */
void sluice_put_options_parse(int count, char **arguments, struct sluice_put_options *options);
