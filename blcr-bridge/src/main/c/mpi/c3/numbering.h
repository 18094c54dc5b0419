/*
 * Numbers the messages that this rank receives behind its line: org.sluice.iop.wave.protocol.Numbering. MPI gives the messages of a
 * stream to receives in the order of posting, and completes them in any order.
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

/* Begins with what was received before the line. */
void sluice_mpi_numbering_begin(const struct sluice_mpi_counts *got);
void sluice_mpi_numbering_end(void);

/* A receive was posted: for any source, or any tag, -1. `name` is its number, or a negative one of a drained message. */
void sluice_mpi_numbering_posted(int64_t name, int64_t communicator, int32_t source, int32_t tag);

/* It is complete. */
void sluice_mpi_numbering_completed(int64_t name, const struct sluice_mpi_stream *stream);

/* A probe found a message, which stays where it is. */
void sluice_mpi_numbering_found(int64_t name, const struct sluice_mpi_stream *stream);

/* The number of the message that a probe finds; 0 when it is not known yet. */
int64_t sluice_mpi_numbering_next(const struct sluice_mpi_stream *stream);

/* How many messages of a stream were received and have their number. */
int64_t sluice_mpi_numbering_got(const struct sluice_mpi_stream *stream);

/* Numbers what can be numbered, and tells each to `known`. */
void sluice_mpi_numbering_settle(void (*known)(int64_t name,
                                               const struct sluice_mpi_message *message));
