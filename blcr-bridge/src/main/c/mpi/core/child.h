/*
 * A forked child of this process that the program does not see: no SIGCHLD comes for it, and no wait() finds it. It
 * has the memory of the moment of the fork, no descriptors but its pipe, and calls no MPI.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SLUICE_MPI_CHILD_SAYS 500 /* bytes */

struct sluice_mpi_child {
    int pipe; /* to read from; -1: there is no child */
    char why[SLUICE_MPI_CHILD_SAYS];
};

/*
 * Forks, and has the child do `work`, which returns 0 or says in `why` what failed. 0, or a negative errno: there is no
 * child. Called by the thread that calls MPI, for one child at a time.
 */
int sluice_mpi_child_begin(struct sluice_mpi_child *child, int (*work)(void *argument, char *why),
                           void *argument);

/* Whether it is still at work. */
bool sluice_mpi_child_is_there(const struct sluice_mpi_child *child);

/* 1: its work is done; 0: not yet; -1: it has failed or was killed, and `why` says so. Asked no more after 1 and -1. */
int sluice_mpi_child_look(struct sluice_mpi_child *child);

/* Ends it, if it is there; what it does is half done then. */
void sluice_mpi_child_end(struct sluice_mpi_child *child);
