/*
 * The record of this rank under C3, from its line until it is told to stop: C3Record of the
 * simulator.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/handle.h"
#include "numbering.h"
#include "sluice_mpi_kinds.h"

/*
 * Events as they are in images. A COMPLETED has a number and as many requests, a PROBED a request,
 * a NOTHING a number.
 */
struct sluice_mpi_sent {
    struct sluice_mpi_message message;
    uint32_t check;
    uint32_t nothing;
};

struct sluice_mpi_posting {
    int64_t request;
    int64_t communicator;
    int32_t source; /* -1: any */
    int32_t tag;    /* -1: any */
};

struct sluice_mpi_entered {
    int64_t request;
    int64_t communicator;
    int64_t number;
    int32_t flow;
    int32_t root; /* rank in the world; -1: none */
    uint32_t check;
    uint32_t nothing;
};

/* The most bytes of events; beyond them the wave is given up. */
#define SLUICE_MPI_RECORD_MOST (32 << 20)

/* The most bytes of messages and results, besides those of the protected memory. */
#define SLUICE_MPI_KEPT_MOST (INT64_C(256) << 20)

/*
 * The most bytes of sent messages, besides a sixteenth of the protected memory: an image is not to
 * grow by more.
 */
#define SLUICE_MPI_SENT_MOST (1 << 20)

/* Returns whether the program's calls are recorded. */
bool sluice_mpi_record_is_on(void);

/* Begins the record at the line, with the present counts. */
void sluice_mpi_record_begin(void);
void sluice_mpi_record_end(void);

/* Record an action of the program. */
void sluice_mpi_record_event(int kind, const void *event, size_t length);
void sluice_mpi_record_completed(struct sluice_mpi_handle *const *handles, int count);
void sluice_mpi_record_one_completed(int64_t request);

/* Records the find of a probe, which has a number as a receive has. */
void sluice_mpi_record_found(int64_t request);

/* Records that a test or a probe tells the program nothing. Consecutive ones are one event. */
void sluice_mpi_record_nothing(void);

/* Keeps the data of a receive, which may be late. `name` is negative for a drained message. */
void sluice_mpi_record_data(int64_t name, const void *buffer, int64_t count, MPI_Datatype type,
                            const MPI_Status *status);

/*
 * Keeps a message sent behind the line, as far as there is room. A recovery then names the first
 * byte that differs.
 */
void sluice_mpi_record_sent(const struct sluice_mpi_message *message, const void *buffer,
                            int64_t count, MPI_Datatype type);

/* Records the message that a receive took, or a probe found. */
void sluice_mpi_record_taken(int64_t name, const struct sluice_mpi_message *message);

void sluice_mpi_record_result(int64_t communicator, int64_t number,
                              const struct sluice_mpi_piece *pieces, int count);

/* Reads the messages and collectives to come, from the coordinator. */
void sluice_mpi_record_expect(struct sluice_mpi_reader *reader);
bool sluice_mpi_record_is_late(const struct sluice_mpi_message *message);
const struct sluice_mpi_counts *sluice_mpi_record_late(void);
int64_t sluice_mpi_record_straddling(int64_t communicator); /* the last number, or 0 */

/*
 * Stops the record: no more events are written. The numbers of recorded messages may still be
 * missing.
 */
void sluice_mpi_record_stop(void);
bool sluice_mpi_record_has_stopped(void);

/*
 * Put the record for the coordinator, after which nothing is recorded, and the two images. The last
 * one returns its count of messages.
 */
void sluice_mpi_record_put(struct sluice_mpi_bytes *bytes);
void sluice_mpi_record_put_events(struct sluice_mpi_bytes *bytes);
int64_t sluice_mpi_record_put_late(struct sluice_mpi_bytes *bytes);
int64_t sluice_mpi_record_events(void);
