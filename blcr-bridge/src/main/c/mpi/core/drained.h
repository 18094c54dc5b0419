/*
 * Messages that the layer took off the network before the program asked for them, in the order of
 * arrival. They are older than those on the network, so a receive or a probe looks here first.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "wrappers/communicator.h"

struct sluice_mpi_drained {
    struct sluice_mpi_comm *comm;
    int source; /* rank in `comm` */
    int tag;
    int64_t bytes; /* bytes when packed */
    void *data;
    MPI_Request real; /* while the message comes */
    int64_t posted;
    int64_t name;   /* negative, while a protocol records */
    int64_t number; /* place in its stream, where known */
    struct sluice_mpi_drained *next;
};

/* Receives the message that a probe has found. */
struct sluice_mpi_drained *sluice_mpi_drain(struct sluice_mpi_comm *comm, const MPI_Status *found);

/* Appends a message of an image. */
struct sluice_mpi_drained *sluice_mpi_drained_again(struct sluice_mpi_comm *comm, int source,
                                                    int tag, int64_t bytes);

/* Returns the oldest message that a receive would take; NULL for none. */
struct sluice_mpi_drained *sluice_mpi_drained_find(const struct sluice_mpi_comm *comm, int source,
                                                   int tag);

/* Makes the status that a probe of the message has. */
void sluice_mpi_drained_status(const struct sluice_mpi_drained *one, MPI_Status *status);

/* Removes the message from the list: the caller owns it from then on. */
void sluice_mpi_drained_take(struct sluice_mpi_drained *one);

/* Returns whether the message has come. */
bool sluice_mpi_drained_look(struct sluice_mpi_drained *one);

/* Puts the message into a receive's buffer, and frees it. Returns the receive's result. */
int sluice_mpi_drained_give(struct sluice_mpi_drained *one, void *buffer, int count,
                            MPI_Datatype type, MPI_Status *status);

/*
 * Numbers the messages as the last received ones of their streams. Correct where all have come, and
 * no open receive was overtaken.
 */
void sluice_mpi_drained_number(void);

/* Returns the count of the messages. */
int64_t sluice_mpi_drained_count(void);

/* Returns whether all messages have come. */
bool sluice_mpi_drained_all(void);
