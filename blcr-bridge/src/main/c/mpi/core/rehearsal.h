/*
 * `sluice mpi --rehearse`: is what the program protects all that it needs? One run goes to its second wave, and notes on its
 * way from the first one what it sends. Another begins with the first wave, and is compared: each message, and at the
 * spot of the second wave the protected memory. The second run takes no wave.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "wrappers/collective.h"
#include "wrappers/communicator.h"

/* Whether this run is the second one. */
bool sluice_mpi_rehearsal_repeats(void);

/* The images of a wave can be read. Returns the wave to begin with, where a run that is no rehearsal began with `newest`. */
int64_t sluice_mpi_rehearsal_begin(int64_t newest);

/* The state of that one is put back. */
void sluice_mpi_rehearsal_restarted(void);

/* The program sends a message, or enters a collective. */
void sluice_mpi_rehearsal_sends(const struct sluice_mpi_comm *comm, int dest, int tag,
                                const void *buffer, int count, MPI_Datatype type);
void sluice_mpi_rehearsal_enters(const struct sluice_mpi_comm *comm,
                                 const struct sluice_mpi_collective *collective);

/* This rank has taken its state. Writes, later, what that wave's second half needs: 0, or a negative errno. */
void sluice_mpi_rehearsal_line(int64_t wave);
int sluice_mpi_rehearsal_write(int64_t wave);
void sluice_mpi_rehearsal_decide(int64_t wave, bool commit);

/* The program has come to one more spot. */
void sluice_mpi_rehearsal_spot(void);

/* Ends the run once all ranks have come to its end. */
void sluice_mpi_rehearsal_look(void);

/* The program ends: whether it waits for the end of the run. A second run that is not over by then ends the job. */
bool sluice_mpi_rehearsal_is_ending(void);
