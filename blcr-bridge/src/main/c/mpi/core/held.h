/* A wave's images at this node's I/O process: they are committed only once the coordinator says so. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Begins the wave's checkpoint on this node. 0, or an error that sluice_message() says. */
int sluice_mpi_held_begin(int64_t wave);

/* This rank has written its images. As sluice_mpi_held_begin(). */
int sluice_mpi_held_complete(int64_t wave);

/*
 * What the coordinator has decided of a wave. Nothing where this rank began none of that number. A wave that is given up
 * comes behind all before it: one that is undecided was given up as well, and the I/O process was killed with the order.
 */
void sluice_mpi_held_decide(int64_t wave, bool commit);
