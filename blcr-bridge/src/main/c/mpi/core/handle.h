/*
 * What is behind a request of the program: what it asked for, and what became of it. One thread at a time is within
 * the layer (MPI_THREAD_MULTIPLE is refused), so nothing here is locked.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/collective.h"
#include "wrappers/communicator.h"
#include "wrappers/real.h"
#include "wrappers/request.h"

enum sluice_mpi_kind {
    SLUICE_MPI_SEND,
    SLUICE_MPI_RECEIVE,
    SLUICE_MPI_COLLECTIVE,
    SLUICE_MPI_UNCOUNTED, /* of a file, a persistent collective, or MPI_Imrecv, which is complete */
    SLUICE_MPI_COMMUNICATOR, /* that is begun */
};

struct sluice_mpi_drained;

/*
 * The number is the layer's name for the request. A program makes them in the same order again after a restart, so
 * the numbers come back. A request keeps its handle: one that is not open waits for the next call that makes one.
 */
struct sluice_mpi_handle {
    int64_t number; /* 0: not open */
    enum sluice_mpi_kind kind;
    int error;
    bool plain; /* a message that the library has, and of which its status says all */
    bool persistent;
    bool active;         /* false: a persistent one that is not started */
    bool complete;       /* the library has no part in it any more; `status` says how it ended */
    bool freed;          /* the program has it no longer */
    bool again;          /* posted by a restart, and not by the program */
    bool hidden;         /* a recovery's call is not told of it */
    bool early;          /* made before the first spot */
    bool cancelled;      /* MPI_Cancel was called */
    bool lent;           /* of a request that the library made, for the length of a call */
    bool blocks;         /* of a call that returns when it is complete, and has no request */
    MPI_Request request; /* the program's */
    MPI_Request real;    /* MPI_REQUEST_NULL: the library knows nothing of it */
    struct sluice_mpi_handle *next;
    struct sluice_mpi_handle *previous;

    /* Of a message. */
    struct sluice_mpi_comm *comm;
    void *buffer;
    int count;
    MPI_Datatype type;
    int peer; /* by its rank in `comm`, or MPI_ANY_SOURCE */
    int tag;
    int64_t posted;                     /* its place in the order in which receives are posted */
    struct sluice_mpi_drained *drained; /* whose message it takes, while that has not come yet */
    MPI_Datatype own;                   /* a type that a restart made, to be freed */
    MPI_Status status;
    int mode;

    /* Of a collective. */
    int64_t collective;              /* the how many-th of `comm` */
    struct sluice_mpi_piece *pieces; /* where its results go */
    int results;
};

/* A new one at the end of the list, with the next number. */
struct sluice_mpi_handle *sluice_mpi_handle(enum sluice_mpi_kind kind);

/* The same of a message. `comm` is NULL where nothing is counted. */
struct sluice_mpi_handle *sluice_mpi_handle_message(enum sluice_mpi_kind kind,
                                                    struct sluice_mpi_comm *comm, void *buffer,
                                                    int count, MPI_Datatype type, int peer,
                                                    int tag);

/* A restart has it in the same place: those of others come back in the order in which requests end, by chance. */
void sluice_mpi_handle_persistent(struct sluice_mpi_handle *handle);

/* At a restart: a new one for the request that had this value. What the program made again and had freed goes. */
struct sluice_mpi_handle *sluice_mpi_handle_again(enum sluice_mpi_kind kind, MPI_Request request);

/* Receives that are open, in the order in which they were posted: it decides which message each gets. The caller frees. */
struct sluice_mpi_handle **sluice_mpi_open_receives(size_t *count);

/*
 * Gives the open ones the numbers from 1 on, in their order, and new ones those behind. At a line, so that the numbers
 * that a wave has stay below 2^31, as the coordinator has them.
 */
void sluice_mpi_renumber(void);

/* Out of the list: its request may be made again. */
void sluice_mpi_handle_end(struct sluice_mpi_handle *handle);

/* The same of a plain one, which has nothing to be freed. */
void sluice_mpi_handle_end_plain(struct sluice_mpi_handle *handle);

/* The program frees the request of one that goes on: it may be made again at once. */
void sluice_mpi_handle_free(struct sluice_mpi_handle *handle);

/* Whether a call can complete it; `handle` may be NULL. */
static inline bool sluice_mpi_handle_is_active(const struct sluice_mpi_handle *handle)
{
    return handle != NULL && handle->active;
}

/* Ends the job: the program has no such request open. */
void sluice_mpi_handle_unknown(MPI_Request request) __attribute__((noreturn));

/* What is behind a request; NULL of MPI_REQUEST_NULL. */
static inline struct sluice_mpi_handle *sluice_mpi_handle_of(MPI_Request request)
{
    if (request == MPI_REQUEST_NULL)
        return NULL;
    const struct sluice_mpi_slot *slot = sluice_mpi_slot(request);
    struct sluice_mpi_handle *handle = slot != NULL ? slot->handle : NULL;
    if (__builtin_expect(handle == NULL || handle->number == 0, 0))
        sluice_mpi_handle_unknown(request);
    return handle;
}

/* A request of the library's own, of a call that the layer does not carry. */
static inline bool sluice_mpi_is_foreign(MPI_Request request)
{
    return __builtin_expect(sluice_mpi_lets, 0) && request != MPI_REQUEST_NULL
        && sluice_mpi_slot(request) == NULL;
}
