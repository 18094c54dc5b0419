/*
 * The handle of a request: what the program asked for, and the outcome. Only one thread at a time
 * is within the layer (MPI_THREAD_MULTIPLE is refused), so nothing here is locked.
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
    SLUICE_MPI_UNCOUNTED,    /* of a file, a persistent collective, or a complete MPI_Imrecv */
    SLUICE_MPI_COMMUNICATOR, /* of a communicator that is begun */
};

struct sluice_mpi_drained;

/*
 * A handle. The number is the layer's name for the request. After a restart a program makes its
 * requests in the same order, so the numbers come back. A request keeps its handle: one that is not
 * open waits for the next call that makes one.
 */
struct sluice_mpi_handle {
    int64_t number; /* 0: not open */
    enum sluice_mpi_kind kind;
    int error;
    bool plain; /* a message in the library, with nothing beyond its status */
    bool persistent;
    bool active;         /* false: a persistent one that is not started */
    bool complete;       /* the library is done with it; `status` has the outcome */
    bool freed;          /* the program has freed the request */
    bool again;          /* posted by a restart, and not by the program */
    bool hidden;         /* the call that a recovery repeats is not told of it */
    bool early;          /* made before the first spot */
    bool cancelled;      /* MPI_Cancel was called */
    bool lent;           /* the library's request, for the length of a call */
    bool blocks;         /* its call returns when it is complete, and has no request */
    MPI_Request request; /* the program's */
    MPI_Request real;    /* MPI_REQUEST_NULL: the library does not know it */
    struct sluice_mpi_handle *next;
    struct sluice_mpi_handle *previous;

    /* Fields of a message. */
    struct sluice_mpi_comm *comm;
    void *buffer;
    int count;
    MPI_Datatype type;
    int peer; /* rank in `comm`, or MPI_ANY_SOURCE */
    int tag;
    int64_t posted;                     /* place in the order of posting receives */
    struct sluice_mpi_drained *drained; /* the message it takes, until that has come */
    MPI_Datatype own;                   /* a type made by a restart, to be freed */
    MPI_Status status;
    int mode;

    /* Fields of a collective. */
    int64_t collective;              /* its number in `comm` */
    struct sluice_mpi_piece *pieces; /* places of its results */
    int results;
};

/* Makes a handle at the end of the list, with the next number. */
struct sluice_mpi_handle *sluice_mpi_handle(enum sluice_mpi_kind kind);

/* Makes a handle of a message. `comm` is NULL where nothing is counted. */
struct sluice_mpi_handle *sluice_mpi_handle_message(enum sluice_mpi_kind kind,
                                                    struct sluice_mpi_comm *comm, void *buffer,
                                                    int count, MPI_Datatype type, int peer,
                                                    int tag);

/*
 * Gives the handle a place that a restart finds again. Other places come back in the order in which
 * requests end, by chance.
 */
void sluice_mpi_handle_persistent(struct sluice_mpi_handle *handle);

/*
 * Makes a handle, at a restart, for the request that had this value. A handle that the program made
 * again there, and had freed, ends.
 */
struct sluice_mpi_handle *sluice_mpi_handle_again(enum sluice_mpi_kind kind, MPI_Request request);

/*
 * Returns the open receives in the order of posting, which decides the message of each. The caller
 * frees the array.
 */
struct sluice_mpi_handle **sluice_mpi_open_receives(size_t *count);

/*
 * Renumbers the open handles from 1 on, in their order; new ones follow. Done at a line, so that
 * the numbers of a wave stay below 2^31, as the coordinator has them.
 */
void sluice_mpi_renumber(void);

/* Removes the handle from the list: its request may be made again. */
void sluice_mpi_handle_end(struct sluice_mpi_handle *handle);

/* Removes a plain handle, which has nothing to be freed. */
void sluice_mpi_handle_end_plain(struct sluice_mpi_handle *handle);

/* Frees the request of a handle that goes on: the request may be made again at once. */
void sluice_mpi_handle_free(struct sluice_mpi_handle *handle);

/* Returns whether a call can complete it; `handle` may be NULL. */
static inline bool sluice_mpi_handle_is_active(const struct sluice_mpi_handle *handle)
{
    return handle != NULL && handle->active;
}

/* Ends the job: the program has no such request open. */
void sluice_mpi_handle_unknown(MPI_Request request) __attribute__((noreturn));

/* Returns the handle of a request; NULL for MPI_REQUEST_NULL. */
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

/* Returns whether a request is the library's own, of a call that the layer does not carry. */
static inline bool sluice_mpi_is_foreign(MPI_Request request)
{
    return __builtin_expect(sluice_mpi_lets, 0) && request != MPI_REQUEST_NULL
        && sluice_mpi_slot(request) == NULL;
}
