/* The protected memory of two runs of the program at the same spot. */
#pragma once

#include <stdint.h>

/*
 * Compares it with a wave's image. What differs ends the job with a line, or is told; `begin` is the wave that this run
 * began with, `spots` spots ago. Receives that are open may have their message in one run already, and requests other
 * values: both do not count.
 */
void sluice_mpi_compare(int64_t wave, int64_t begin, int64_t spots);
