/* The common part of the command lines of sluice put and sluice criu. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

struct sluice_writer_options {
    struct sluice_launch_options service;
    size_t passed;      /* the options in `service.serve` */
    int64_t checkpoint; /* -1: the number behind the highest committed one */
    int rank;
    int ranks;
    const char *refusal; /* ends the line that refuses a committed number; may be NULL */
    bool joins;          /* other processes put the other ranks of the checkpoint */
    bool replaces;       /* a committed checkpoint of this number */
    bool json;
};

/* Begins a command line of so many words. */
void sluice_writer_options_begin(struct sluice_writer_options *options, int words);

/* Takes an option, which this process may have no use for. `value` is NULL for a flag. */
void sluice_writer_options_take(struct sluice_writer_options *options, int option, const char *name,
                                const char *value);

/* Ends the command line. `store` may be NULL: that of the environment counts then. */
void sluice_writer_options_end(struct sluice_writer_options *options, const char *store,
                               char **command);

/*
 * Returns a number from 0 on, or `missing` where the option is not given. Anything else ends the
 * process.
 */
int64_t sluice_writer_options_number(const char *option, const char *given, int64_t most,
                                     int64_t missing);

/* Ends the process with one line where an option is not given. */
void sluice_writer_options_need(const char *option, const void *given);
