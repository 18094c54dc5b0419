/* For tests of the engine's parts in a process of one rank. */
#pragma once

#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/bytes.h"
#include "wrappers/communicator.h"
#include "wrappers/real.h"

/* An image of the wave, by its name. */
struct sluice_mpi_bytes *image(const char *name);

/* A communicator of eight ranks, in front of all others. */
void have_communicator(struct sluice_mpi_comm *comm, int64_t id, int64_t collectives);

/* The bytes that encoding.txt has under a name; none where it has no such. */
void golden(const char *name, struct sluice_mpi_bytes *bytes);
