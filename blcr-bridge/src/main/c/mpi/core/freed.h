/*
 * Communicators that the program has freed while requests still use them, or other members may be
 * behind.
 */
#pragma once

#include <stdbool.h>

#include "bytes.h"

/*
 * Forgets communicators that no request uses and no restart makes. Returns whether no request uses
 * any.
 */
bool sluice_mpi_freed_end(void);

/*
 * Puts how many collectives of each communicator were entered, also of freed ones: another member
 * may be about to enter one of those.
 */
void sluice_mpi_put_collectives(struct sluice_mpi_bytes *bytes);
