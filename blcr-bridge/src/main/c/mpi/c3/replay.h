/*
 * A recovery's repetition of the record: a rank's plan while it is carried out. Replay of the
 * simulator is the same in Java.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "late_messages.h"
#include "record.h"

/* The message that a request takes, or finds, again. */
struct sluice_mpi_choice {
    int64_t request;
    struct sluice_mpi_message message;
};

/*
 * A rank's plan, as the coordinator sends it and the image has it. The choices are in the bytes
 * that were read.
 */
struct sluice_mpi_plan {
    int64_t events;
    const struct sluice_mpi_choice *forced;
    int64_t forced_count;
    const struct sluice_mpi_choice *found;
    int64_t found_count;
    struct sluice_mpi_counts suppressed; /* last message of each stream that its receiver has */
};

/* Reads a plan into zeros. Sets `damaged` where it makes no sense. */
void sluice_mpi_plan_read(struct sluice_mpi_reader *reader, struct sluice_mpi_plan *plan);

/* Reads the images of a wave. A missing or damaged one ends the job with a line. */
void sluice_mpi_replay_begin(int64_t wave);

/* Returns whether events are left: the program's calls are then answered as before. */
bool sluice_mpi_replay_is_on(void);

/*
 * Returns whether something is left for a later call: a message to suppress, or a result of the
 * record.
 */
bool sluice_mpi_replay_is_needed(void);

/* Notes, once no event is left, if the rank is still busy. */
void sluice_mpi_replay_look_whether_over(void);

/*
 * Returns the next event, of this kind. Ends the job where the program does something else than it
 * did.
 */
const void *sluice_mpi_replay_head(int kind, size_t *length);
void sluice_mpi_replay_next(void);

/*
 * Returns whether the next event is of tests and probes that told the program nothing. The second
 * function uses one of them up.
 */
bool sluice_mpi_replay_tells_nothing(void);
void sluice_mpi_replay_tell_nothing(void);

/* Takes the next event, as sluice_mpi_replay_head(), and compares it with the program's action. */
void sluice_mpi_replay_check(int kind, const void *event, size_t length);

/* Ends the job: the program does not do what it did. */
void sluice_mpi_replay_differs(const char *what) __attribute__((noreturn));

/* Returns whether the receiver has the message already. */
bool sluice_mpi_replay_suppresses(const struct sluice_mpi_message *message);

/* Return the message that a receive takes, or a probe finds, again; NULL for any. */
const struct sluice_mpi_message *sluice_mpi_replay_forced(int64_t request);
const struct sluice_mpi_message *sluice_mpi_replay_found(int64_t request);

/* Calls `give` for each late message that the layer had taken and that no receive takes again. */
void sluice_mpi_replay_drained(void (*give)(const struct sluice_mpi_message *message,
                                            const struct sluice_mpi_kept *kept));
