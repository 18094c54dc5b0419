/*
 * The layer's own state at a line: counts, open requests, drained messages. An image has calls and
 * their arguments. After a restart an open receive is posted again, and an open send is complete.
 */
#pragma once

#include <stddef.h>

#include "bytes.h"

/*
 * Returns why no line can be taken here, as far as known without asking the library; else NULL.
 * Asked before the rank stands still.
 */
const char *sluice_mpi_unfit(void);

/*
 * Puts the state into `bytes`. Returns NULL, or a line about what cannot be carried over a line,
 * valid until the next call.
 */
const char *sluice_mpi_save(struct sluice_mpi_bytes *bytes);

/*
 * Restores the state, after the regions. Sets `damaged` where it makes no sense. Receives are
 * posted in their order.
 */
void sluice_mpi_restore(struct sluice_mpi_reader *reader);
