/*
 * Messages that the program sends again with other bytes than at first. Nobody can tell if these
 * bytes count: they may be unused, or show memory that the program forgot to protect. So the user
 * chooses the consequence (`sluice mpi --differences`).
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Handles the message `what`, whose checksum differs from before. `was` has as many bytes of then;
 * NULL where the wave has none of them. Ends the job with a line, or counts the difference and
 * reports the first one.
 */
void sluice_mpi_differs(const char *what, const void *buffer, int64_t count, MPI_Datatype type,
                        const unsigned char *was);

/* Returns whether a difference ends the job. */
bool sluice_mpi_differs_stops(void);

/* The reasons why a run may do something else than another one. */
#define SLUICE_MPI_FORGOTTEN                                                                       \
    "a restart lacks what the program needs, such as SAVE or static locals, counters, or memory "  \
    "that sluice_protect() does not name; or the program depends on the time, on random numbers, " \
    "or on which message comes first"

/* Says at the end of the job, called by all ranks, how many there were: rank 0 says it. */
void sluice_mpi_differs_end(void);
