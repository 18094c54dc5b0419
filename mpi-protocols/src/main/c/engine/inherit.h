/* What a forked child has of this process's memory. */
#pragma once

#include <stdbool.h>

/* Whether a child has all protected memory as it was at the fork, and keeps it. */
bool sluice_mpi_inherits(void);
