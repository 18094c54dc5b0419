/*
 * The common part of the programs of the corpus. Each is killed at any moment under `sluice mpi`
 * and must end with the result of a run that nothing disturbed. All that changes while it runs is
 * in protected memory.
 */
#ifndef CORPUS_H
#define CORPUS_H

#include <mpi.h>
#include <sluice_mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct corpus {
    int rank;
    int ranks;
    int64_t steps;
    int64_t size; /* elements of a message or of a row, as the program says */
    bool free;    /* where arrival order may change how many spots a rank passes */
};

/* Reads --steps N --size N --pause MICROSECONDS --result FILE --free. */
struct corpus corpus_options(int argc, char **argv);

/* MPI_Init and these options. */
struct corpus corpus_begin(int *argc, char ***argv);

/* For Fortran: those of this process, once MPI is initialized. */
void corpus_options_of_process(struct corpus *corpus);

/*
 * Waits for as long as --pause says at most, each time another while, and for up to eight times as long from the 200th
 * time on: what strikes on a busy machine is to find the program there. Does not wait once there is a file ./hurry.
 */
void corpus_pause(void);

/* A number that depends on all three, the same in each run. */
uint64_t corpus_mix(uint64_t a, uint64_t b, uint64_t c);

uint64_t corpus_hash(uint64_t hash, const void *data, size_t bytes);

/* Zeroed memory, protected under the next number. */
void *corpus_protected(size_t bytes);

/* Ends the job with `what` unless `holds`. */
void corpus_check(bool holds, const char *what);

/* Rank 0 says one result of the hashes of all, into --result's file or on standard output. */
void corpus_end(uint64_t hash);

/* A spot whose place is the same from wherever it is called. */
void corpus_spot(void);

#endif
