/* For tests of the engine's parts in a process of one rank. */
#pragma once

#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/bytes.h"
#include "core/counts.h"
#include "wrappers/communicator.h"
#include "wrappers/real.h"

/* An image of the wave, by its name. */
struct sluice_mpi_bytes *image(const char *name);

/* A communicator of eight ranks, in front of all others. */
void have_communicator(struct sluice_mpi_comm *comm, int64_t id, int64_t collectives);

void forget_communicators(void);

/* This rank is the first, and the engine has nothing but this communicator, whose id is 5, and three collectives of it. */
void begin_anew(struct sluice_mpi_comm *comm);

/* Of a stream so many messages are late, and of its communicator so many collectives straddle or are before the line. */
void expect_late(const struct sluice_mpi_stream *stream, int64_t late, int64_t straddling);

/* The bytes that encoding.txt has under a name; none where it has no such. */
void golden(const char *name, struct sluice_mpi_bytes *bytes);
