/*
 * What the image `late` has for a recovery, in an order to be searched: late messages, results of collectives that
 * straddle, which late messages the layer had taken, and what was sent. The bytes that were read must stay.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "numbering.h"

/* Data that lies in the image. */
struct sluice_mpi_kept {
    const unsigned char *data;
    int64_t bytes;
};

/* Reads the image. False where it makes no sense. */
bool sluice_mpi_late_read(struct sluice_mpi_reader *reader);
void sluice_mpi_late_end(void);

/* Data of a late message, or the result of a collective; false where there is none. */
bool sluice_mpi_late_message(const struct sluice_mpi_message *message,
                             struct sluice_mpi_kept *kept);
bool sluice_mpi_late_result(int64_t communicator, int64_t number, struct sluice_mpi_kept *kept);

/* What a message had that this rank sent behind the line; false where there was no room for it. */
bool sluice_mpi_late_sent(const struct sluice_mpi_message *message, struct sluice_mpi_kept *kept);

/* Whether this rank has yet to enter a collective whose result is here. Once false it stays so. */
bool sluice_mpi_late_has_more_results(void);

/* The late messages that the layer had taken, in the order in which it did. */
const struct sluice_mpi_message *sluice_mpi_late_drained(int64_t *count);

/* The order in which messages are searched. */
int sluice_mpi_message_order(const struct sluice_mpi_message *one,
                             const struct sluice_mpi_message *other);
