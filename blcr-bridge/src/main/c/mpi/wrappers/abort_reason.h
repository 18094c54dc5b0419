/*
 * The agreement of a job's ranks on who says why the job ends: all may know, and one line is
 * enough.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The status of a job that `sluice mpi` does not run again. */
#define SLUICE_MPI_REFUSED 3

/*
 * Says why the job ends, and returns true. Returns false where another rank, of any node, has done
 * so in this attempt of `sluice mpi`. This rank waits for that line, two seconds at most: ending
 * the job would end the other rank as well.
 *
 * `sluice mpi` prints the line, as a launcher may drop the last output of a rank. Without `sluice
 * mpi`, or where the store takes nothing, each rank writes to standard error. The line ends with a
 * newline.
 */
bool sluice_mpi_say_last(const char *line, size_t length);
