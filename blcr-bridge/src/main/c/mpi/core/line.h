/*
 * Once a wave is committed nobody needs a number of before its line: both ends of each stream count from the line on.
 * So a stream that is not used any more is forgotten, as of a program with another tag in each step.
 */
#pragma once

#include <stdint.h>

#include "bytes.h"

/* This rank takes its line. */
void sluice_mpi_line_taken(int64_t wave);

/* What crosses the lines to this rank: reads an EXPECT. */
void sluice_mpi_line_expect(struct sluice_mpi_reader *reader);

/* The wave is committed: all ranks hear so between it and the next one. */
void sluice_mpi_line_committed(int64_t wave);
