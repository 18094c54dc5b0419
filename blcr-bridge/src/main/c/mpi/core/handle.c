#include "handle.h"

#include <stdlib.h>
#include <string.h>

#include "drained.h"
#include "engine.h"
#include "protocol.h"
#include "stream.h"
#include "wrappers/data.h"
#include "wrappers/real.h"

struct sluice_mpi_handle *sluice_mpi_handles;
int64_t sluice_mpi_requests;
int64_t sluice_mpi_posted;
int64_t sluice_mpi_freed_requests;
int sluice_mpi_copying;

static struct sluice_mpi_handle *last;
static struct sluice_mpi_handle *unused;
static struct sluice_mpi_handle *unused_persistent;

static void bind(struct sluice_mpi_handle *handle, MPI_Request request)
{
    handle->request = request;
    sluice_mpi_slot(request)->handle = handle;
}

static void keep(struct sluice_mpi_handle *handle, struct sluice_mpi_handle **list)
{
    handle->number = 0;
    handle->next = *list;
    *list = handle;
}

static struct sluice_mpi_handle **list_of(MPI_Request request)
{
    return sluice_mpi_is_of_persistent(request) ? &unused_persistent : &unused;
}

static struct sluice_mpi_handle *another(void)
{
    struct sluice_mpi_handle *handle = calloc(1, sizeof *handle);
    if (handle == NULL)
        sluice_mpi_abort("no memory for another request");
    handle->own = MPI_DATATYPE_NULL;
    return handle;
}

static void grow(bool persistent)
{
    struct sluice_mpi_handle *handle = another();
    handle->request = sluice_mpi_request(handle, persistent);
    keep(handle, list_of(handle->request));
}

/* `handle` comes to the place of an unused one of persistent requests, and that one to its. */
static void move_to(struct sluice_mpi_handle *handle, struct sluice_mpi_handle *other)
{
    struct sluice_mpi_handle **at = &unused_persistent;
    while (*at != other)
        at = &(*at)->next;
    *at = other->next;
    const MPI_Request place = other->request;
    bind(other, handle->request);
    bind(handle, place);
    keep(other, list_of(other->request));
}

void sluice_mpi_handle_persistent(struct sluice_mpi_handle *handle)
{
    if (unused_persistent == NULL)
        grow(true);
    move_to(handle, unused_persistent);
    handle->persistent = true;
}

struct sluice_mpi_handle *sluice_mpi_handle(enum sluice_mpi_kind kind)
{
    return sluice_mpi_handle_message(kind, NULL, NULL, 0, MPI_DATATYPE_NULL, 0, 0);
}

/* Field by field: to clear all of it takes as long as the rest of a call. sluice_mpi_handle_end() clears what few have. */
struct sluice_mpi_handle *sluice_mpi_handle_message(enum sluice_mpi_kind kind,
                                                    struct sluice_mpi_comm *comm, void *buffer,
                                                    int count, MPI_Datatype type, int peer, int tag)
{
    if (__builtin_expect(unused == NULL, 0))
        grow(false);
    struct sluice_mpi_handle *handle = unused;
    unused = handle->next;
    handle->number = ++sluice_mpi_requests;
    handle->kind = kind;
    handle->error = MPI_SUCCESS;
    handle->plain = false;
    handle->persistent = false;
    handle->active = true;
    handle->complete = false;
    handle->freed = false;
    handle->again = false;
    handle->hidden = false;
    handle->early = false;
    handle->cancelled = false;
    handle->lent = false;
    handle->blocks = false;
    handle->real = MPI_REQUEST_NULL;
    handle->comm = comm;
    handle->buffer = buffer;
    handle->count = count;
    handle->type = type;
    handle->peer = peer;
    handle->tag = tag;
    handle->posted = 0;
    handle->next = NULL;
    handle->previous = last;
    *(last != NULL ? &last->next : &sluice_mpi_handles) = handle;
    last = handle;
    return handle;
}

struct sluice_mpi_handle *sluice_mpi_handle_again(enum sluice_mpi_kind kind, MPI_Request request)
{
    const struct sluice_mpi_slot *slot = sluice_mpi_slot(request);
    if (slot == NULL) {
        sluice_mpi_abort(
            "a request of the checkpoint has the value %#llx, which no request can have; "
            "go on from an older one by sluice rm --newest",
            (unsigned long long)sluice_mpi_value(request));
    }
    const bool persistent = sluice_mpi_is_of_persistent(request);
    while (slot->handle == NULL)
        grow(persistent);
    struct sluice_mpi_handle *other = slot->handle;
    if (other->number != 0) /* made again before the first spot, but the program had freed it */
        sluice_mpi_handle_end(other);
    struct sluice_mpi_handle *handle = sluice_mpi_handle(kind);
    if (persistent) {
        move_to(handle, other);
    } else {
        bind(other, handle->request);
        bind(handle, request);
    }
    return handle;
}

static int by_posting(const void *a, const void *b)
{
    const int64_t one = (*(struct sluice_mpi_handle *const *)a)->posted;
    const int64_t other = (*(struct sluice_mpi_handle *const *)b)->posted;
    return one < other ? -1 : one > other;
}

struct sluice_mpi_handle **sluice_mpi_open_receives(size_t *count)
{
    size_t most = 0;
    for (const struct sluice_mpi_handle *one = sluice_mpi_handles; one != NULL; one = one->next)
        most++;
    struct sluice_mpi_handle **open = malloc((most + 1) * sizeof(struct sluice_mpi_handle *));
    if (open == NULL)
        sluice_mpi_abort("no memory for %zu open requests", most);
    *count = 0;
    for (struct sluice_mpi_handle *one = sluice_mpi_handles; one != NULL; one = one->next)
        if (one->kind == SLUICE_MPI_RECEIVE && one->active && !one->complete)
            open[(*count)++] = one;
    qsort(open, *count, sizeof(struct sluice_mpi_handle *), by_posting);
    return open;
}

void sluice_mpi_renumber(void)
{
    sluice_mpi_requests = 0;
    for (struct sluice_mpi_handle *one = sluice_mpi_handles; one != NULL; one = one->next)
        one->number = ++sluice_mpi_requests;
}

static void unlink_open(const struct sluice_mpi_handle *handle)
{
    *(handle->previous != NULL ? &handle->previous->next : &sluice_mpi_handles) = handle->next;
    *(handle->next != NULL ? &handle->next->previous : &last) = handle->previous;
}

static void end_pieces(struct sluice_mpi_handle *handle)
{
    for (int i = 0; i < handle->results; i++)
        if (handle->pieces[i].own)
            real.Type_free(&handle->pieces[i].type);
    free(handle->pieces);
}

void sluice_mpi_handle_end(struct sluice_mpi_handle *handle)
{
    if (handle->own != MPI_DATATYPE_NULL)
        real.Type_free(&handle->own);
    if (handle->kind == SLUICE_MPI_UNCOUNTED && handle->persistent)
        real.Request_free(&handle->real);
    if (handle->pieces != NULL)
        end_pieces(handle);
    handle->drained = NULL;
    handle->collective = 0;
    handle->pieces = NULL;
    handle->results = 0;
    unlink_open(handle);
    if (handle->freed) {
        sluice_mpi_freed_requests--;
        free(handle);
    } else {
        keep(handle, list_of(handle->request));
    }
}

void sluice_mpi_handle_free(struct sluice_mpi_handle *handle)
{
    struct sluice_mpi_handle *next = another();
    bind(next, handle->request);
    keep(next, list_of(next->request));
    handle->freed = true;
    sluice_mpi_freed_requests++;
}

void sluice_mpi_handle_unknown(MPI_Request request)
{
    sluice_mpi_abort(
        "a request is not one that the program has open: %#llx; protect requests that are "
        "needed behind a restart",
        (unsigned long long)sluice_mpi_value(request));
}

void sluice_mpi_empty_status(MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    real.Status_set_elements(status, MPI_BYTE, 0);
    real.Status_set_cancelled(status, 0);
}

/* A send that was cancelled in time is received by nobody. */
static void take_back(const struct sluice_mpi_handle *handle, const MPI_Status *status)
{
    int cancelled = 0;
    real.Test_cancelled(status, &cancelled);
    if (cancelled) {
        sluice_mpi_counts_of(&sluice_mpi_sent, handle->comm->id, sluice_mpi_rank,
                             handle->comm->world[handle->peer], handle->tag)
            ->count--;
    }
}

void sluice_mpi_handle_completed(struct sluice_mpi_handle *handle, const MPI_Status *status)
{
    handle->plain = false;
    handle->complete = true;
    handle->status = *status;
    if (handle->kind == SLUICE_MPI_RECEIVE && sluice_mpi_has_taken(handle->error)) {
        int cancelled = 0;
        if (__builtin_expect(handle->cancelled, 0))
            real.Test_cancelled(status, &cancelled);
        if (cancelled)
            return;
        sluice_mpi_received(handle->comm, status, handle->posted);
        if (handle->error != MPI_SUCCESS)
            sluice_mpi_protocol->calls->cannot("a message is longer than its receive has room for");
    }
    if (__builtin_expect(handle->cancelled, 0) && handle->kind == SLUICE_MPI_SEND)
        take_back(handle, status);
    if (handle->kind == SLUICE_MPI_COMMUNICATOR) {
        sluice_mpi_copying--;
        if (handle->error == MPI_SUCCESS)
            sluice_mpi_comm_done(handle->comm);
    }
    if (sluice_mpi_busy)
        sluice_mpi_protocol->calls->ended(handle);
}

/* One that takes a drained message which was under way. */
static bool look_at_drained(struct sluice_mpi_handle *handle)
{
    if (!sluice_mpi_drained_look(handle->drained))
        return false;
    sluice_mpi_protocol->calls->gives(handle->drained, handle);
    handle->error = sluice_mpi_drained_give(handle->drained, handle->buffer, handle->count,
                                            handle->type, &handle->status);
    handle->drained = NULL;
    handle->complete = true; /* what it has, the record has by the drained message's own name */
    return true;
}

/*
 * MPICH tells the handler of MPI_COMM_WORLD what fails in MPI_Test, and that of the communicator what fails in a receive
 * that blocks.
 */
#ifndef OPEN_MPI
static int test_blocking(struct sluice_mpi_handle *handle, int *flag, MPI_Status *status)
{
    MPI_Errhandler of_world;
    real.Comm_get_errhandler(MPI_COMM_WORLD, &of_world);
    real.Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int result = real.Test(&handle->real, flag, status);
    real.Comm_set_errhandler(MPI_COMM_WORLD, of_world);
    real.Errhandler_free(&of_world);
    if (result != MPI_SUCCESS)
        real.Comm_call_errhandler(handle->comm->handle, result);
    return result;
}
#endif

static int test(struct sluice_mpi_handle *handle, int *flag, MPI_Status *status)
{
#ifndef OPEN_MPI
    if (handle->blocks && handle->comm->handle != MPI_COMM_WORLD)
        return test_blocking(handle, flag, status);
#endif
    return real.Test(&handle->real, flag, status);
}

bool sluice_mpi_handle_look(struct sluice_mpi_handle *handle)
{
    if (handle->complete || !handle->active)
        return true;
    if (handle->drained != NULL)
        return look_at_drained(handle);
    if (handle->real == MPI_REQUEST_NULL)
        return false;
    int flag = 0;
    MPI_Status status;
    handle->error = test(handle, &flag, &status);
    if (!flag && handle->error == MPI_SUCCESS)
        return false;
    sluice_mpi_handle_completed(handle, &status);
    return true;
}

int sluice_mpi_handle_deliver(MPI_Request *request, struct sluice_mpi_handle *handle,
                              MPI_Status *status)
{
    const int error = handle->error;
    if (status != MPI_STATUS_IGNORE) {
        if (handle->active)
            sluice_mpi_tell_status(status, &handle->status);
        else
            sluice_mpi_empty_status(status);
    }
    if (handle->persistent) {
        handle->active = false;
        handle->complete = false;
        handle->error = MPI_SUCCESS;
        return error;
    }
    *request = handle->lent ? handle->real : MPI_REQUEST_NULL;
    sluice_mpi_handle_end(handle);
    return error;
}

void sluice_mpi_handle_over(MPI_Request *request, struct sluice_mpi_handle *handle,
                            MPI_Request left, MPI_Status *status)
{
    if (__builtin_expect(handle->plain, 1)) {
        if (handle->kind == SLUICE_MPI_RECEIVE)
            sluice_mpi_received(handle->comm, status, handle->posted);
        *request = MPI_REQUEST_NULL;
        unlink_open(handle);
        keep(handle, &unused);
        return;
    }
    if (handle->active && !handle->complete) {
        handle->real = left;
        handle->error = MPI_SUCCESS;
        sluice_mpi_handle_completed(handle, status);
    }
    sluice_mpi_handle_deliver(request, handle, status);
}
