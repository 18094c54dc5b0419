/* A protocol for waves, as this rank sees it: a table of functions, so that others can come beside C3 and Pcl. */
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
 * What a protocol does with the program's calls while the rank is busy: it records them, or repeats what was recorded. One
 * that does neither has sluice_mpi_plain_calls.
 */
struct sluice_mpi_calls {
    /* A message is sent. Returns whether that is done: the receiver has it, or the layer keeps its data. */
    bool (*sends)(const struct sluice_mpi_comm *comm, int dest, int tag, int64_t number,
                  const void *buf, int count, MPI_Datatype type);
    /* Posts a receive: what MPI returns. */
    int (*posts)(struct sluice_mpi_handle *handle);
    /* The library is asked for its message. */
    void (*asks)(const struct sluice_mpi_handle *handle, int source, int tag);
    /* A receive, or a collective that does not block, is complete. */
    void (*ended)(const struct sluice_mpi_handle *handle);
    /* A drained message has come, and what is given to a receive. */
    void (*drained)(const struct sluice_mpi_drained *one, const MPI_Status *status);
    void (*gives)(const struct sluice_mpi_drained *one, const struct sluice_mpi_handle *handle);
    /* The program is told that these are complete; in a recovery it was. */
    void (*completes)(struct sluice_mpi_handle *const *handles, int count);
    /* Whether a recovery answers the call: then what it had answered is complete, and all else is hidden. */
    bool (*answers)(int count, struct sluice_mpi_handle **handles, enum sluice_mpi_how how);
    /* A recovery's answer to a probe, which may wait for a find: what MPI returns, or -1: it has none. */
    int (*probes)(struct sluice_mpi_comm *comm, bool waits, int *flag, MPI_Status *status);
    /* A probe has found this, or nothing. */
    void (*probed)(struct sluice_mpi_comm *comm, const MPI_Status *found);
    /* A collective is entered. Returns whether that is done: the record has its result. `handle`: NULL where it blocks. */
    bool (*enters)(struct sluice_mpi_comm *comm, const struct sluice_mpi_collective *collective,
                   int64_t number, struct sluice_mpi_handle *handle);
    /* One that blocks is over. */
    void (*left)(struct sluice_mpi_comm *comm, const struct sluice_mpi_collective *collective);
};

struct sluice_mpi_protocol {
    int kind; /* its SLUICE_CONTROL_ */
    /* A wave is asked for. */
    void (*request_wave)(int64_t wave);
    /* What the coordinator says of this wave. */
    void (*order)(int kind, const void *bytes, size_t length);
    /* The program is at a spot; may hold it there. */
    void (*spot)(const struct sluice_mpi_place *place);
    /* Time passes within the layer. */
    void (*progress)(void);
    /* The program does what no recovery can repeat, as `why` says: a wave that records it is given up. Also if not busy. */
    void (*cannot)(const char *why);
    /* The wave is given up. */
    void (*give_up)(void);
    /* What crosses a line is still to be repeated. */
    bool (*repeats)(void);
    /* A restart, before the layer's own state is put back. */
    void (*restart)(int64_t wave);
    /* And behind it: drained messages of the record, and results of collectives that were open. */
    void (*resume)(void);
    /* The open receives are posted again: what the record had for them is used up. */
    void (*resumed)(void);
    const struct sluice_mpi_calls *calls;
};

extern const struct sluice_mpi_calls sluice_mpi_plain_calls;

extern const struct sluice_mpi_protocol sluice_mpi_pcl;
extern const struct sluice_mpi_protocol sluice_mpi_c3;

/* The one of `sluice_mpi.protocols` that has this kind, or the first one. */
const struct sluice_mpi_protocol *sluice_mpi_protocol_of(int kind);
