/*
 * The images of a wave at this node's I/O process: they are committed only once the coordinator
 * says so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Begins the wave's checkpoint on this node. Returns 0, or an error with a sentence in
 * sluice_message().
 */
int sluice_mpi_held_begin(int64_t wave);

/* Notes that this rank has written its images. Returns as sluice_mpi_held_begin(). */
int sluice_mpi_held_complete(int64_t wave);

/*
 * Passes the coordinator's decision on. Does nothing if this rank began no wave of that number. A
 * wave given up ends all before it. An undecided one of them was given up as well, but the I/O
 * process was killed with that order.
 */
void sluice_mpi_held_decide(int64_t wave, bool commit);
