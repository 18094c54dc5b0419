/* What this rank records under C3, from its line until it is told to stop: C3Record of the simulator. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/handle.h"
#include "numbering.h"
#include "sluice_mpi_kinds.h"

/* As they lie in images; a COMPLETED has a number and so many requests, a PROBED a request, a NOTHING a number. */
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
    int32_t root; /* in the world; -1: none */
    uint32_t check;
    uint32_t nothing;
};

/* Bytes of events, beyond which the wave is given up. */
#define SLUICE_MPI_RECORD_MOST (32 << 20)

/* Bytes of messages and results, beyond those of the protected memory. */
#define SLUICE_MPI_KEPT_MOST (INT64_C(256) << 20)

/* Bytes of what is sent, beyond a sixteenth of the protected memory: an image is not to grow by more. */
#define SLUICE_MPI_SENT_MOST (1 << 20)

/* Whether what the program does is recorded. */
bool sluice_mpi_record_is_on(void);

/* The line is here: the counts are those of this moment. */
void sluice_mpi_record_begin(void);
void sluice_mpi_record_end(void);

/* The program does something. */
void sluice_mpi_record_event(enum sluice_mpi_event kind, const void *event, size_t length);
void sluice_mpi_record_completed(struct sluice_mpi_handle *const *handles, int count);
void sluice_mpi_record_one_completed(int64_t request);

/* A probe's find, which is known by a number like a receive. */
void sluice_mpi_record_found(int64_t request);

/* A test or a probe tells the program nothing. Tests that follow one another are one event. */
void sluice_mpi_record_nothing(void);

/* Keeps the data of a receive: it may be late. `name` is negative of a drained message. */
void sluice_mpi_record_data(int64_t name, const void *buffer, int64_t count, MPI_Datatype type,
                            const MPI_Status *status);

/* Keeps what is sent behind the line, as far as there is room: a recovery names the first byte that is another one then. */
void sluice_mpi_record_sent(const struct sluice_mpi_message *message, const void *buffer,
                            int64_t count, MPI_Datatype type);

/* Which message a receive took, or a probe found. */
void sluice_mpi_record_taken(int64_t name, const struct sluice_mpi_message *message);

/* The result of a collective. */
void sluice_mpi_record_result(int64_t communicator, int64_t number,
                              const struct sluice_mpi_piece *pieces, int count);

/* What comes is known. */
void sluice_mpi_record_expect(struct sluice_mpi_reader *reader);
bool sluice_mpi_record_is_late(const struct sluice_mpi_message *message);
const struct sluice_mpi_counts *sluice_mpi_record_late(void);
int64_t sluice_mpi_record_straddling(int64_t communicator); /* the last number, or 0 */

/* Told to stop, no more events are written; the numbers of what was written may still be missing. */
void sluice_mpi_record_stop(void);
bool sluice_mpi_record_has_stopped(void);

/* What the coordinator is sent, behind which nothing is recorded; and the two images: `late` counts messages. */
void sluice_mpi_record_put(struct sluice_mpi_bytes *bytes);
void sluice_mpi_record_put_events(struct sluice_mpi_bytes *bytes);
int64_t sluice_mpi_record_put_late(struct sluice_mpi_bytes *bytes);
int64_t sluice_mpi_record_events(void);
