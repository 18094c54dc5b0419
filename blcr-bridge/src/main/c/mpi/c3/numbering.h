/*
 * The numbers of messages received behind this rank's line: org.sluice.iop.wave.protocol.Numbering.
 * MPI gives the messages of a stream to receives in the order of posting, and completes them in any
 * order.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/counts.h"

/* A message by its place in its stream; as it lies in images and messages. */
struct sluice_mpi_message {
    struct sluice_mpi_stream stream;
    int64_t number;
};

/* Begins with the counts received before the line. */
void sluice_mpi_numbering_begin(const struct sluice_mpi_counts *got);
void sluice_mpi_numbering_end(void);

/*
 * Notes a posted receive; -1 for any source, or any tag. `name` is its number, or a drained
 * message's negative one.
 */
void sluice_mpi_numbering_posted(int64_t name, int64_t communicator, int32_t source, int32_t tag);

void sluice_mpi_numbering_completed(int64_t name, const struct sluice_mpi_stream *stream);

/* Notes that a probe found a message, which stays where it is. */
void sluice_mpi_numbering_found(int64_t name, const struct sluice_mpi_stream *stream);

/* Returns the number of the next message that a probe finds; 0 while unknown. */
int64_t sluice_mpi_numbering_next(const struct sluice_mpi_stream *stream);

/* Returns the count of a stream's received messages that have their number. */
int64_t sluice_mpi_numbering_got(const struct sluice_mpi_stream *stream);

/* Numbers all messages that can be numbered, and calls `known` for each. */
void sluice_mpi_numbering_settle(void (*known)(int64_t name,
                                               const struct sluice_mpi_message *message));
