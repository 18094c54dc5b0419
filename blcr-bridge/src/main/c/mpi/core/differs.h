/*
 * What the program sends again with other bytes than at first. Nobody can tell whether these bytes count: they may be dead,
 * or come of memory that the program forgot to protect. So the user says what becomes of it (`sluice mpi --differences`).
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * `what` was sent with another check before. `was`: as many bytes of then; NULL where the wave has none of them. Ends the job
 * with a line, or counts it and says the first one.
 */
void sluice_mpi_differs(const char *what, const void *buffer, int64_t count, MPI_Datatype type,
                        const unsigned char *was);

/* Whether other bytes end the job. */
bool sluice_mpi_differs_stops(void);

/* Why a run may do something else than another one. */
#define SLUICE_MPI_FORGOTTEN                                                                       \
    "a restart lacks what the program needs, such as SAVE or static locals, counters, or memory "  \
    "that sluice_protect() does not name; or the program depends on the time, on random numbers, " \
    "or on which message comes first"

/* At the end of the job, by all ranks: rank 0 says how many there were. */
void sluice_mpi_differs_end(void);
