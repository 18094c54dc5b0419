/*
 * What a line finds of the layer itself: counts, open requests, drained messages. An image has it as call and
 * signature. Behind a restart an open receive is posted again, and an open send is complete.
 */
#pragma once

#include <stddef.h>

#include "bytes.h"

/*
 * Says why no line can be taken here, as far as that is known without a question to the library; else NULL. A rank asks
 * before it stands still.
 */
const char *sluice_mpi_unfit(void);

/*
 * Puts everything into `bytes`. Returns NULL, or a line that says what cannot be carried over a line: valid until the
 * next call.
 */
const char *sluice_mpi_save(struct sluice_mpi_bytes *bytes);

/* Takes it back, behind the regions: sets `damaged` where it makes no sense. Receives are posted in their order. */
void sluice_mpi_restore(struct sluice_mpi_reader *reader);
