/* What a forked child has of this process's memory. */
#pragma once

#include <stdbool.h>

/* Whether a child has all protected memory as it was at the fork, and keeps it. */
bool sluice_mpi_inherits(void);

/* The same, in the child: memory may have been left out of forks since the rank looked. */
bool sluice_mpi_inherited(void);
