/* The memory of this process that a forked child has. */
#pragma once

#include <stdbool.h>

/* Returns whether a child has all protected memory as it was at the fork, and keeps it. */
bool sluice_mpi_inherits(void);

/*
 * Returns the same, called in the child: memory may have been left out of forks since the rank
 * looked.
 */
bool sluice_mpi_inherited(void);
