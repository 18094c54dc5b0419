/* Who of a job's ranks says why it cannot go on: all may see it, and one line is enough. */
#pragma once

#include <stdbool.h>

/*
 * Whether this rank is to say it: the first to ask, of all nodes, in this attempt of `sluice mpi`. Another one waits here
 * until the first has said it, two seconds at most: to end the job ends the first one as well. Without `sluice mpi`,
 * or where the store tells nothing, each rank is to say it.
 */
bool sluice_mpi_said_first(void);

/* It is said. */
void sluice_mpi_said(void);
