/*
 * Messages between ranks and the coordinator. The coordinator is in the I/O process of rank 0's
 * node, and talks to rank 0 by requests. Rank 0 forwards everything on a communicator that the
 * program does not see.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "sluice.h"
#include "sluice_mpi_kinds.h"

/*
 * Joins the I/O process and makes the communicator. False, at all ranks, where a rank cannot, after
 * one line that says why.
 */
bool sluice_mpi_control_begin(void);

/* Sends a report to the coordinator. `bytes` may be NULL. */
void sluice_mpi_tell(int kind, int64_t wave, const void *bytes, size_t length);

/* Carries out an order of the coordinator. The bytes are gone after the call. */
typedef void sluice_mpi_carry_out(int kind, int64_t wave, const void *bytes, size_t length);

/*
 * Has the orders carried out that have come. Returns whether the I/O process was resumed since:
 * then its coordinator knows no job.
 */
bool sluice_mpi_control_look(sluice_mpi_carry_out *order);

/* Leaves the I/O process. */
void sluice_mpi_control_end(void);
