/*
 * A forked child of this process that the program does not see: no SIGCHLD comes for it, and no
 * wait() finds it. The child has the memory of the moment of the fork, no descriptors but its pipe,
 * and calls no MPI.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SLUICE_MPI_CHILD_SAYS 500 /* bytes */

struct sluice_mpi_child {
    int pipe; /* reading end; -1: there is no child */
    char why[SLUICE_MPI_CHILD_SAYS];
};

/*
 * Forks a child that does `work`, which returns 0 or says in `why` what failed. Returns 0, or a
 * negative errno: there is no child. Called by the thread that calls MPI, for one child at a time.
 */
int sluice_mpi_child_begin(struct sluice_mpi_child *child, int (*work)(void *argument, char *why),
                           void *argument);

/* Returns whether the child is still at work. */
bool sluice_mpi_child_is_there(const struct sluice_mpi_child *child);

/*
 * Returns 1: its work is done; 0: not yet; -1: it has failed or was killed, and `why` says so. Not
 * called again after 1 and -1.
 */
int sluice_mpi_child_look(struct sluice_mpi_child *child);

/* Ends the child, if it is there; its work is half done then. */
void sluice_mpi_child_end(struct sluice_mpi_child *child);
