/*
 * Messages that the layer took off the network before the program asked for them, in the order in which they came.
 * They are older than what is on the network, so a receive or a probe looks here first.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "wrappers/communicator.h"

struct sluice_mpi_drained {
    struct sluice_mpi_comm *comm;
    int source; /* by its rank in `comm` */
    int tag;
    int64_t bytes; /* packed */
    void *data;
    MPI_Request real; /* while it comes */
    int64_t posted;
    int64_t name;   /* while C3 records: negative */
    int64_t number; /* in its stream, where that is known */
    struct sluice_mpi_drained *next;
};

/* Receives what a probe has found. */
struct sluice_mpi_drained *sluice_mpi_drain(struct sluice_mpi_comm *comm, const MPI_Status *found);

/* One that an image has, at the end. */
struct sluice_mpi_drained *sluice_mpi_drained_again(struct sluice_mpi_comm *comm, int source,
                                                    int tag, int64_t bytes);

/* The oldest that a receive would take; NULL for none. */
struct sluice_mpi_drained *sluice_mpi_drained_find(const struct sluice_mpi_comm *comm, int source,
                                                   int tag);

/* What a probe says of it. */
void sluice_mpi_drained_status(const struct sluice_mpi_drained *one, MPI_Status *status);

/* Takes it out of the list: the caller's from then on. */
void sluice_mpi_drained_take(struct sluice_mpi_drained *one);

/* Whether it has come. */
bool sluice_mpi_drained_look(struct sluice_mpi_drained *one);

/* Puts it into a receive's buffer, and frees it: what the receive returns. */
int sluice_mpi_drained_give(struct sluice_mpi_drained *one, void *buffer, int count,
                            MPI_Datatype type, MPI_Status *status);

/*
 * Numbers them: they are the last ones of their streams that were received. That holds where all have come, and no
 * open receive was overtaken.
 */
void sluice_mpi_drained_number(void);

/* How many there are. */
int64_t sluice_mpi_drained_count(void);

/* Whether all have come. */
bool sluice_mpi_drained_all(void);
