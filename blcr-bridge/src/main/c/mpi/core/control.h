/*
 * What ranks and the coordinator tell each other. The coordinator is in the I/O process of rank 0's node, and talks to
 * rank 0 by requests. Rank 0 passes everything on, by a communicator that the program does not see.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "sluice.h"
#include "sluice_mpi_kinds.h"

/* This rank's session with its node's I/O process; NULL where there is none. */
extern sluice_session *sluice_mpi_session;

/* Joins the I/O process and makes the communicator. False, at all ranks, where a rank cannot: one line said why. */
bool sluice_mpi_control_begin(void);

/* Tells the coordinator. `bytes` may be NULL. */
void sluice_mpi_tell(int kind, int64_t wave, const void *bytes, size_t length);

/* Takes what has come, and passes it to sluice_mpi_order(). */
void sluice_mpi_control_look(void);

/* What the coordinator orders: the engine's. The bytes are gone behind it. */
void sluice_mpi_order(int kind, int64_t wave, const void *bytes, size_t length);

/* Rank 0 says to a coordinator that knows nothing of the job that it is there. The engine's. */
void sluice_mpi_hello(bool again);

/* For what the ranks have to agree on at a restart. */
extern MPI_Comm sluice_mpi_control;

/* Leaves the I/O process. */
void sluice_mpi_control_end(void);
