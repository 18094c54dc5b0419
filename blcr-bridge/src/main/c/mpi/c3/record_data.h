/*
 * The part of record.h without events. The part has the message that each receive behind the line
 * took. Also kept are messages and results of collectives while they may cross the line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"

void sluice_mpi_record_data_begin(void);
void sluice_mpi_record_data_end(void);

/* Returns whether a receive of this name is complete, and was not before the line. */
bool sluice_mpi_record_has_come(int64_t name);

/* Notes that an event has this receive, or find of a probe. Its message's number will be needed. */
void sluice_mpi_record_told(int64_t name);

/* Returns whether the numbers of all messages in events are known. */
bool sluice_mpi_record_has_numbers(void);

/* Puts the message that each receive took; then those that the layer took. */
void sluice_mpi_record_put_taken(struct sluice_mpi_bytes *bytes);
