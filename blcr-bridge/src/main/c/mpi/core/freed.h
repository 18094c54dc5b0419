/* Communicators that the program has freed while requests have them, or other members may not have come as far. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

/* Forgets those that no request has and no restart makes; whether no request has any. */
bool sluice_mpi_freed_end(void);

/*
 * How many collectives of each communicator were entered, also of those that are freed: another member may be about to
 * enter one of them.
 */
void sluice_mpi_put_collectives(struct sluice_mpi_bytes *bytes);
