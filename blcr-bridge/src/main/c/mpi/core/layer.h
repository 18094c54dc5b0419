/*
 * What the whole layer knows of its rank: one object, on which all parts stand. One thread at a time is within the layer,
 * so nothing here is locked; only `spots` is read by the thread of watch.h as well.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "counts.h"
#include "sluice.h"

struct sluice_mpi_drained;
struct sluice_mpi_handle;
struct sluice_mpi_protocol;
struct sluice_mpi_region;

struct sluice_mpi_layer {
    /*
     * Whether calls take the long way: a wave is under way, a recovery repeats calls, or messages were drained that the
     * program has not asked for. Then no call blocks in the library but a collective, so that this rank goes on answering.
     */
    bool busy;
    int copying;      /* how many communicators are begun (MPI_Comm_idup) and not made */
    unsigned polls;   /* calls that may have looked for orders */
    uint64_t look_at; /* when to look for orders again, by the time stamp counter */

    /* Ranks are those in the world. */
    int rank;
    int size;

    /* Messages of each stream that this rank has sent and received. */
    struct sluice_mpi_counts sent;
    struct sluice_mpi_counts got;

    /* All requests that are open, in the order in which they were made. */
    struct sluice_mpi_handle *handles;
    int64_t requests;       /* the number of the last one */
    int64_t posted;         /* the place of the last receive that was posted */
    int64_t freed_requests; /* how many of the open ones the program has freed */

    struct sluice_mpi_drained *drained; /* the oldest first */

    sluice_session *session; /* with this node's I/O process; NULL where there is none */
    MPI_Comm control;        /* of all ranks, which the program does not see */

    int64_t wave;                                       /* the one that is under way, or 0 */
    const struct sluice_mpi_protocol *protocol;         /* of the last wave */
    const struct sluice_mpi_protocol *const *protocols; /* all, and NULL behind them */
    int asked;        /* the protocol that the user asks for: a SLUICE_CONTROL_ of it, or AUTO */
    int64_t restored; /* the wave to begin with; -1: none */
    int64_t attempt;  /* the how many-th run of the job */
    int64_t every;    /* nanoseconds between two waves; 0: none is taken by itself */
    int64_t spots;    /* how many this rank has passed */
    double patience;  /* seconds that a rank waits for others before it refuses a wave */
    bool may_end;     /* all ranks are done, and no wave is under way */
    bool rehearsing;  /* calls are noted or compared: then all take the long way */
    bool snapshot_watches; /* the next spot is to be looked at by snapshot.h */
    int64_t former_null;   /* the value that MPI_REQUEST_NULL had in the run that wrote the image */

    /* Protected memory, in the order of ids. */
    struct sluice_mpi_region *regions;
    int region_count;
    int64_t region_changes; /* how often other memory was protected */
};

extern struct sluice_mpi_layer sluice_mpi;

/* Sets `busy` anew. */
void sluice_mpi_look_busy(void);
