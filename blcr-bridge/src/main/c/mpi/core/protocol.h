/*
 * A protocol for waves, as this rank sees it: a table of functions. Each protocol has a folder beside
 * this one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls.h"
#include "counts.h"
#include "handle.h"
#include "state.h"

struct sluice_mpi_drained;

/*
 * The calls of the program under a protocol while the rank is busy: the protocol records them, or
 * repeats recorded ones. A protocol that does neither has sluice_mpi_plain_calls.
 */
struct sluice_mpi_calls {
    /*
     * Sends a message, if need be. Returns whether that is done: the receiver has it, or the layer
     * keeps its data.
     */
    bool (*sends)(const struct sluice_mpi_comm *comm, int dest, int tag, int64_t number,
                  const void *buf, int count, MPI_Datatype type);
    /* Posts a receive; returns MPI's result. */
    int (*posts)(struct sluice_mpi_handle *handle);
    /* Notes that the library is asked for its message. */
    void (*asks)(const struct sluice_mpi_handle *handle, int source, int tag);
    /* Notes that a receive, or a collective that does not block, is complete. */
    void (*ended)(const struct sluice_mpi_handle *handle);
    /* Note that a drained message has come, and that one is given to a receive. */
    void (*drained)(const struct sluice_mpi_drained *one, const MPI_Status *status);
    void (*gives)(const struct sluice_mpi_drained *one, const struct sluice_mpi_handle *handle);
    /* Notes that the program is told that these are complete; in a recovery, that it was. */
    void (*completes)(struct sluice_mpi_handle *const *handles, int count);
    /*
     * Returns whether a recovery answers the call. Requests of its former answer are then complete,
     * and all others hidden.
     */
    bool (*answers)(int count, struct sluice_mpi_handle **handles, enum sluice_mpi_how how);
    /*
     * Answers a probe in a recovery, perhaps after a wait for a find. Returns MPI's result, or -1
     * without an answer.
     */
    int (*probes)(struct sluice_mpi_comm *comm, bool waits, int *flag, MPI_Status *status);
    /* Notes that a probe has found this, or nothing. */
    void (*probed)(struct sluice_mpi_comm *comm, const MPI_Status *found);
    /*
     * Enters a collective. Returns whether that is done: the record has its result. `handle` is
     * NULL for a blocking one.
     */
    bool (*enters)(struct sluice_mpi_comm *comm, const struct sluice_mpi_collective *collective,
                   int64_t number, struct sluice_mpi_handle *handle);
    /* Notes that a blocking collective is over. */
    void (*left)(struct sluice_mpi_comm *comm, const struct sluice_mpi_collective *collective);
};

struct sluice_mpi_protocol {
    const char *name; /* the word of users */
    int number;       /* in messages and images: its SLUICE_..._NUMBER */
    /* Begins a wave on request. */
    void (*request_wave)(int64_t wave);
    /* Carries out an order of the coordinator for this wave. */
    void (*order)(int kind, const void *bytes, size_t length);
    /* Notes that the program is at a spot; may hold it there. */
    void (*spot)(const struct sluice_mpi_place *place);
    /* Makes progress within the layer. */
    void (*progress)(void);
    /*
     * Notes an action that no recovery can repeat, as `why` says: a wave that records it is given
     * up. Called also if not busy.
     */
    void (*cannot)(const char *why);
    /* Gives the wave up. */
    void (*give_up)(void);
    /* Returns whether messages across a line are still to be repeated. */
    bool (*repeats)(void);
    /* Begins a restart, before the layer's own state is restored. */
    void (*restart)(int64_t wave);
    /*
     * Restores drained messages of the record, and results of open collectives, after the layer's
     * own state.
     */
    void (*resume)(void);
    /* Notes that the open receives are posted again: the record has given what it had for them. */
    void (*resumed)(void);
    const struct sluice_mpi_calls *calls;
};

extern const struct sluice_mpi_calls sluice_mpi_plain_calls;

/* All protocols, and a NULL (protocols.c). The layer's beginning alone uses the table. */
extern const struct sluice_mpi_protocol *const sluice_mpi_protocols[];

/* Returns the protocol of this number in `sluice_mpi.protocols`, or the first one. */
const struct sluice_mpi_protocol *sluice_mpi_protocol_of(int number);
