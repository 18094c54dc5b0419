/*
 * How the state of a rank gets into its image: the rank copies it into the buffer, or a forked child does while the
 * rank goes on. `sluice mpi --snapshot` says which.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "state.h"

/* Reads the environment's SLUICE_MPI_SNAPSHOT. */
void sluice_mpi_snapshot_begin(void);

/*
 * Takes the snapshot for a wave, at a spot: 0, or a negative errno, and sluice_message() says why. It is in the image
 * once sluice_mpi_snapshot_look() says so.
 */
int sluice_mpi_snapshot_take(int64_t wave, const struct sluice_mpi_place *place,
                             const struct sluice_mpi_bytes *own);

/* 1: it is in the image; 0: not yet; -1: it never will be, and `why` says so. */
int sluice_mpi_snapshot_look(const char **why);

/* Whether a child is at work. */
bool sluice_mpi_snapshot_is_under_way(void);

/* The wave is over; a child that is still at work has done so in vain. */
void sluice_mpi_snapshot_end(void);

/*
 * Tells the coordinator of the last one: its bytes, for how many nanoseconds it held the rank up, and whether a child
 * took it. Besides, what each way costs this rank in nanoseconds, 0 while it learns, how many of the bytes were not
 * written again, and how many messages it has that were under way, as far as that is known.
 */
void sluice_mpi_snapshot_tell(int64_t bytes, int64_t held, int64_t reused, int64_t late);

/* A spot, before a wave does anything there. */
void sluice_mpi_snapshot_spot(void);
