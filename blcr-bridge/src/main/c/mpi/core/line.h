/*
 * The line of a wave in the counts. Once a wave is committed, both ends of each stream count from
 * the line on, and need no earlier number. So an unused stream is forgotten, as of a program with
 * another tag in each step.
 */
#pragma once

#include <stdint.h>

#include "bytes.h"

/* Notes that this rank takes its line. */
void sluice_mpi_line_taken(int64_t wave);

/* Reads an EXPECT: the messages that cross the lines to this rank. */
void sluice_mpi_line_expect(struct sluice_mpi_reader *reader);

/* Forgets counts before the line. All ranks hear of a committed wave before the next one. */
void sluice_mpi_line_committed(int64_t wave);
