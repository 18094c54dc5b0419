/*
 * The image `late`, in an order for searching. A recovery finds in it: late messages, results of
 * straddling collectives, the late messages that the layer had taken, and sent messages. The caller
 * keeps the bytes that were read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "numbering.h"

/* Data in the image. */
struct sluice_mpi_kept {
    const unsigned char *data;
    int64_t bytes;
};

/* Reads the image. False where it makes no sense. */
bool sluice_mpi_late_read(struct sluice_mpi_reader *reader);
void sluice_mpi_late_end(void);

/* Find the data of a late message, or the result of a collective; false where there is none. */
bool sluice_mpi_late_message(const struct sluice_mpi_message *message,
                             struct sluice_mpi_kept *kept);
bool sluice_mpi_late_result(int64_t communicator, int64_t number, struct sluice_mpi_kept *kept);

/*
 * Finds the data of a message that this rank sent behind the line; false where there was no room
 * for it.
 */
bool sluice_mpi_late_sent(const struct sluice_mpi_message *message, struct sluice_mpi_kept *kept);

/*
 * Returns whether this rank has yet to enter a collective whose result is here. A false answer is
 * final.
 */
bool sluice_mpi_late_has_more_results(void);

/* Returns the late messages that the layer had taken, in the order of taking. */
const struct sluice_mpi_message *sluice_mpi_late_drained(int64_t *count);

/* Compares two messages in the order for searching. */
int sluice_mpi_message_order(const struct sluice_mpi_message *one,
                             const struct sluice_mpi_message *other);
