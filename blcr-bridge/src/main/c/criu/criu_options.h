/* The command lines of sluice criu. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer_options.h"

struct sluice_criu_options {
    struct sluice_writer_options writer; /* its command is what stands behind -- */
    char **trees;                        /* processes to dump, as given; NULL-terminated */
    size_t tree_count;
    char *directory;  /* directory of the images; NULL for one of our own */
    char *checkpoint; /* to restore; NULL for the newest */
    char *series;     /* to restore from; NULL for none */
    bool leaves;      /* the dumped processes run on */
    bool serves;      /* images are given to a restore */
    int64_t every;    /* ms between two dumps; 0 for a single one */
};

/*
 * Reads the words behind `dump`, `restore` or `stream`, which arguments[0] is. A senseless command
 * line ends the process with one line and status 2.
 */
void sluice_criu_options_parse(int count, char **arguments, struct sluice_criu_options *options);
