/*
 * The part of record.h that is no events. It knows which message each receive behind the line took. It keeps the data of
 * messages and the results of collectives while they may cross the line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"

void sluice_mpi_record_data_begin(void);
void sluice_mpi_record_data_end(void);

/* Whether a receive of this name is complete, and was not before the line. */
bool sluice_mpi_record_has_come(int64_t name);

/* An event has this receive, or find of a probe: its number will be needed. */
void sluice_mpi_record_told(int64_t name);

/* Whether the numbers of all that events have are known. */
bool sluice_mpi_record_has_numbers(void);

/* Which message each one took; then those that the layer took. */
void sluice_mpi_record_put_taken(struct sluice_mpi_bytes *bytes);
