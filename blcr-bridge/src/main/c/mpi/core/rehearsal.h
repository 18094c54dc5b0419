/*
 * `sluice mpi --rehearse`: a check that the program protects all that it needs. The first run goes
 * to its second wave, and notes the messages sent from the first one on. The second run begins with
 * the first wave, and is compared: each message, and at the spot of the second wave the protected
 * memory. The second run takes no wave.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "wrappers/collective.h"
#include "wrappers/communicator.h"

/* Returns whether this run is the second one. */
bool sluice_mpi_rehearsal_repeats(void);

/*
 * Begins when the images of a wave can be read. Returns the wave to begin with, where a run without
 * rehearsal began with `newest`.
 */
int64_t sluice_mpi_rehearsal_begin(int64_t newest);

/* Notes that the state of that wave is restored. */
void sluice_mpi_rehearsal_restarted(void);

/* Notes that the program sends a message, or enters a collective. */
void sluice_mpi_rehearsal_sends(const struct sluice_mpi_comm *comm, int dest, int tag,
                                const void *buffer, int count, MPI_Datatype type);
void sluice_mpi_rehearsal_enters(const struct sluice_mpi_comm *comm,
                                 const struct sluice_mpi_collective *collective);

/*
 * Notes that this rank has taken its state. The second function writes, later, the rehearsal's
 * image of that wave: 0, or a negative errno. The third decides about the wave.
 */
void sluice_mpi_rehearsal_line(int64_t wave);
int sluice_mpi_rehearsal_write(int64_t wave);
void sluice_mpi_rehearsal_decide(int64_t wave, bool commit);

/* Notes that the program has come to one more spot. */
void sluice_mpi_rehearsal_spot(void);

/* Ends the run once all ranks have come to its end. */
void sluice_mpi_rehearsal_look(void);

/*
 * Returns whether the program waits, at its end, for the end of the run. A second run that is not
 * over by then ends the job.
 */
bool sluice_mpi_rehearsal_is_ending(void);
