/*
 * The state that the whole layer knows of its rank: one object, on which all parts stand. Only one
 * thread at a time is within the layer, so nothing here is locked. Only `spots` is read by the
 * thread of watch.h as well.
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
     * Calls take the long way. A wave is under way, a recovery repeats calls, or there are drained
     * messages that the program has not asked for. Then no call blocks in the library but a
     * collective, so that this rank goes on answering.
     */
    bool busy;
    int copying;      /* communicators begun (MPI_Comm_idup) and not made */
    unsigned polls;   /* count of calls that may have looked for orders */
    uint64_t look_at; /* time stamp counter at the next look for orders */

    /* Ranks are those in the world. */
    int rank;
    int size;

    /* Counts of messages of each stream, sent and received by this rank. */
    struct sluice_mpi_counts sent;
    struct sluice_mpi_counts got;

    /* All open requests, in the order in which they were made. */
    struct sluice_mpi_handle *handles;
    int64_t requests;       /* number of the last request */
    int64_t posted;         /* place of the last posted receive */
    int64_t freed_requests; /* open requests that the program has freed */

    struct sluice_mpi_drained *drained; /* the oldest message first */

    sluice_session *session; /* with this node's I/O process; NULL without one */
    MPI_Comm control;        /* of all ranks; the program does not see it */

    int64_t wave;                                       /* the wave under way, or 0 */
    const struct sluice_mpi_protocol *protocol;         /* protocol of the last wave */
    const struct sluice_mpi_protocol *const *protocols; /* all protocols, and a NULL */
    int asked;        /* number of the protocol that the user asks for, or SLUICE_CONTROL_AUTO */
    int64_t restored; /* the wave to begin with; -1: none */
    int64_t attempt;  /* number of this run of the job */
    int64_t every;    /* ns between two waves; 0: none without a request */
    int64_t spots;    /* spots that this rank has passed */
    double patience;  /* seconds to wait for others before refusing a wave */
    bool may_end;     /* all ranks are done, and no wave is under way */
    bool rehearsing;  /* calls are noted or compared: all take the long way */
    bool snapshot_watches; /* snapshot.h looks at the next spot */
    int64_t former_null;   /* MPI_REQUEST_NULL in the run that wrote the image */

    /* The protected memory, in the order of ids. */
    struct sluice_mpi_region *regions;
    int region_count;
    int64_t region_changes; /* count of changes of protected memory */
};

extern struct sluice_mpi_layer sluice_mpi;

/* Computes `busy` anew. */
void sluice_mpi_look_busy(void);
