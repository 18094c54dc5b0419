/* Communicators that the program has freed while requests have them. */
#pragma once

#include <stdbool.h>

/* Forgets those that nothing has any more; whether these were all. */
bool sluice_mpi_freed_end(void);
