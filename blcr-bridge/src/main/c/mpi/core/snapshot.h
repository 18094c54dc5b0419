/*
 * The way of a rank's state into its image. Either the rank copies it into the buffer, or a forked
 * child does while the rank goes on. `sluice mpi --snapshot` selects the way.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "state.h"

/* Reads SLUICE_MPI_SNAPSHOT of the environment. */
void sluice_mpi_snapshot_begin(void);

/*
 * Takes the snapshot for a wave, at a spot. Returns 0, or a negative errno with a sentence in
 * sluice_message(). The snapshot is in the image once sluice_mpi_snapshot_look() says so.
 */
int sluice_mpi_snapshot_take(int64_t wave, const struct sluice_mpi_place *place,
                             const struct sluice_mpi_bytes *own);

/* Returns 1: the snapshot is in the image; 0: not yet; -1: it never will be, and `why` says so. */
int sluice_mpi_snapshot_look(const char **why);

/* Returns whether a child is at work. */
bool sluice_mpi_snapshot_is_under_way(void);

/* Ends the snapshot with its wave; the work of a child is wasted if it is not done. */
void sluice_mpi_snapshot_end(void);

/*
 * Reports the last snapshot to the coordinator: its bytes, the nanoseconds that it held the rank
 * up, and if a child took it. Also the cost of each way for this rank in nanoseconds, 0 while it
 * learns. Also the bytes that were not written again, and the messages under way, as far as known.
 */
void sluice_mpi_snapshot_tell(int64_t bytes, int64_t held, int64_t reused, int64_t late);

/* Notes a spot, before a wave does anything there. */
void sluice_mpi_snapshot_spot(void);
