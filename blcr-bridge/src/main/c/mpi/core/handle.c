#include "handle.h"

#include <stdlib.h>
#include <string.h>

#include "layer.h"
#include "wrappers/real.h"

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

/*
 * Moves `handle` to the place of an unused handle of persistent requests, and that one to the
 * former place.
 */
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

/*
 * Makes a handle field by field: clearing all of it would take as long as the rest of a call.
 * sluice_mpi_handle_end() clears the rare fields.
 */
struct sluice_mpi_handle *sluice_mpi_handle_message(enum sluice_mpi_kind kind,
                                                    struct sluice_mpi_comm *comm, void *buffer,
                                                    int count, MPI_Datatype type, int peer, int tag)
{
    if (__builtin_expect(unused == NULL, 0))
        grow(false);
    struct sluice_mpi_handle *handle = unused;
    unused = handle->next;
    handle->number = ++sluice_mpi.requests;
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
    *(last != NULL ? &last->next : &sluice_mpi.handles) = handle;
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
    if (other->number != 0) /* made again before the first spot, but freed by the program */
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
    for (const struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next)
        most++;
    struct sluice_mpi_handle **open = malloc((most + 1) * sizeof(struct sluice_mpi_handle *));
    if (open == NULL)
        sluice_mpi_abort("no memory for %zu open requests", most);
    *count = 0;
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next)
        if (one->kind == SLUICE_MPI_RECEIVE && one->active && !one->complete)
            open[(*count)++] = one;
    qsort(open, *count, sizeof(struct sluice_mpi_handle *), by_posting);
    return open;
}

void sluice_mpi_renumber(void)
{
    sluice_mpi.requests = 0;
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next)
        one->number = ++sluice_mpi.requests;
}

static void unlink_open(const struct sluice_mpi_handle *handle)
{
    *(handle->previous != NULL ? &handle->previous->next : &sluice_mpi.handles) = handle->next;
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
        sluice_mpi.freed_requests--;
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
    sluice_mpi.freed_requests++;
}

void sluice_mpi_handle_unknown(MPI_Request request)
{
    sluice_mpi_abort(
        "a request is not one that the program has open: %#llx; protect requests that are "
        "needed behind a restart",
        (unsigned long long)sluice_mpi_value(request));
}

void sluice_mpi_handle_end_plain(struct sluice_mpi_handle *handle)
{
    unlink_open(handle);
    keep(handle, &unused);
}
