/* The comparison of the protected memory of two runs at the same spot. */
#pragma once

#include <stdint.h>

/*
 * Compares protected memory with a wave's image. A difference ends the job with a line, or is
 * reported. `begin` is the wave that this run began with, `spots` spots ago. Two differences do not
 * count: open receives whose message came in one run already, and requests with other values.
 */
void sluice_mpi_compare(int64_t wave, int64_t begin, int64_t spots);
