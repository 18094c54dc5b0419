/* Who of a job's ranks says why it cannot go on: all may see it, and one line is enough. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Says why the job cannot go on, and returns true; or returns false where another rank, of any node, did so in this attempt
 * of `sluice mpi`. This rank waits here until that one has, two seconds at most: to end the job ends it as well. `sluice mpi`
 * prints the line, as a launcher may drop what a rank writes before it ends a job. Without it, or where the store takes
 * nothing, each rank writes to standard error. The line ends with a newline.
 */
bool sluice_mpi_say_last(const char *line, size_t length);
