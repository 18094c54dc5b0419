/* What a recovery repeats: a rank's plan while it is carried out. Replay of the simulator is the same in Java. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "late_messages.h"
#include "record.h"

/* A message that a request takes, or finds, again. */
struct sluice_mpi_choice {
    int64_t request;
    struct sluice_mpi_message message;
};

/* A rank's plan, as the coordinator sends it and the image has it; the choices lie in the bytes that were read. */
struct sluice_mpi_plan {
    int64_t events;
    const struct sluice_mpi_choice *forced;
    int64_t forced_count;
    const struct sluice_mpi_choice *found;
    int64_t found_count;
    struct sluice_mpi_counts suppressed; /* the last message of each stream that its receiver has */
};

/* Reads a plan that begins with zeros. Sets `damaged` where it makes no sense. */
void sluice_mpi_plan_read(struct sluice_mpi_reader *reader, struct sluice_mpi_plan *plan);

/* Reads the images of a wave. What is missing or damaged ends the job with a line. */
void sluice_mpi_replay_begin(int64_t wave);

/* Whether events are left: then the program's calls are answered as they were. */
bool sluice_mpi_replay_is_on(void);

/* Whether something is left that a later call needs: a message to suppress, a result of the record. */
bool sluice_mpi_replay_is_needed(void);

/* Looks whether the rank is busy still, once no event is left. */
void sluice_mpi_replay_look_whether_over(void);

/* The next event of this kind; ends the job where the program does something else than it did. */
const void *sluice_mpi_replay_head(enum sluice_mpi_event kind, size_t *length);
void sluice_mpi_replay_next(void);

/* Whether the next event is of tests and probes that told the program nothing; one more of them is over. */
bool sluice_mpi_replay_tells_nothing(void);
void sluice_mpi_replay_tell_nothing(void);

/* As sluice_mpi_replay_head, compared with what the program does now, and done. */
void sluice_mpi_replay_check(enum sluice_mpi_event kind, const void *event, size_t length);

/* The program does not do what it did. */
void sluice_mpi_replay_differs(const char *what) __attribute__((noreturn));

/* Whether the receiver has a message. */
bool sluice_mpi_replay_suppresses(const struct sluice_mpi_message *message);

/* Which message a receive takes, or a probe finds, again; NULL for any. */
const struct sluice_mpi_message *sluice_mpi_replay_forced(int64_t request);
const struct sluice_mpi_message *sluice_mpi_replay_found(int64_t request);

/* Gives each late message that the layer had taken and that no receive takes again. */
void sluice_mpi_replay_drained(void (*give)(const struct sluice_mpi_message *message,
                                            const struct sluice_mpi_kept *kept));
