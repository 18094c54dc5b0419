#include "open_requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datatype.h"
#include "drained.h"
#include "freed.h"
#include "layer.h"
#include "message.h"
#include "protocol.h"
#include "regions.h"
#include "stream.h"
#include "wrappers/attached.h"
#include "wrappers/data.h"
#include "wrappers/matched.h"
#include "wrappers/request.h"
#include "wrappers/split.h"

enum {
    PERSISTENT = 1,
    ACTIVE = 2,
    COMPLETE = 4,
    EARLY = 8, /* made before the first spot, and so again at a restart */
    FREED = 16,
};

static char reason[300];

static void put_status(struct sluice_mpi_bytes *bytes, const MPI_Status *status)
{
    int cancelled = 0;
    real.Test_cancelled(status, &cancelled);
    sluice_mpi_bytes_put_i32(bytes, status->MPI_SOURCE);
    sluice_mpi_bytes_put_i32(bytes, status->MPI_TAG);
    sluice_mpi_bytes_put_i32(bytes, cancelled);
    sluice_mpi_bytes_put_i64(bytes, sluice_mpi_bytes_of(status));
}

static void get_status(struct sluice_mpi_reader *reader, MPI_Status *status)
{
    sluice_mpi_empty_status(status);
    status->MPI_SOURCE = sluice_mpi_get_i32(reader);
    status->MPI_TAG = sluice_mpi_get_i32(reader);
    real.Status_set_cancelled(status, sluice_mpi_get_i32(reader));
    sluice_mpi_set_bytes(status, sluice_mpi_get_i64(reader));
}

/*
 * Finds the region that holds a receive's data; NULL for 0 bytes. Returns why there is none: the
 * data must be in the image, or be received into it.
 */
static const char *find_region(const void *buffer, int64_t count, MPI_Datatype type,
                               const struct sluice_mpi_region **region)
{
    int64_t low;
    int64_t high;
    sluice_mpi_bounds(count, type, &low, &high);
    const unsigned char *begin = (const unsigned char *)buffer + low;
    *region = sluice_mpi_region_of(begin, high - low);
    if (*region != NULL || high <= low)
        return NULL;
    snprintf(reason, sizeof reason,
             "%lld bytes at %p of an open request are %s, or complete it before "
             "sluice_potential_checkpoint()",
             (long long)(high - low), (const void *)begin,
             sluice_mpi_regions_hold(begin, high - low)
                 ? "in more than one protected region, which a restart may not have side by side: "
                   "protect them as one"
                 : "not in protected memory: protect them");
    return reason;
}

static const char *name_receive(const char *why, const struct sluice_mpi_handle *handle)
{
    static char named[sizeof reason + 100];
    char source[40] = "any rank";
    char tag[40] = "any tag";
    if (handle->peer != MPI_ANY_SOURCE)
        snprintf(source, sizeof source, "rank %d", handle->peer);
    if (handle->tag != MPI_ANY_TAG)
        snprintf(tag, sizeof tag, "tag %d", handle->tag);
    snprintf(named, sizeof named, "a receive from %s with %s: %s", source, tag, why);
    return named;
}

static const char *check_results(const struct sluice_mpi_handle *handle)
{
    const struct sluice_mpi_region *region;
    const char *why = NULL;
    /* A handle that was complete at a restart has no buffer here. */
    if (handle->kind != SLUICE_MPI_SEND && handle->active && handle->type != MPI_DATATYPE_NULL) {
        why = find_region(handle->buffer, handle->count, handle->type, &region);
        if (why != NULL)
            return name_receive(why, handle);
    }
    for (int i = 0; i < handle->results && why == NULL; i++) {
        const struct sluice_mpi_piece *piece = &handle->pieces[i];
        why = find_region(piece->buffer, piece->count, piece->type, &region);
    }
    return why;
}

/* Puts a buffer, by its region, and the construction of its type. */
static const char *put_buffer(struct sluice_mpi_bytes *bytes, const void *buffer, int64_t elements,
                              MPI_Datatype type)
{
    const struct sluice_mpi_region *region;
    const char *why = find_region(buffer, elements, type, &region);
    if (why != NULL)
        return why;
    sluice_mpi_bytes_put_i64(bytes, region == NULL ? -1 : region->id);
    sluice_mpi_bytes_put_i64(bytes,
                             region == NULL ? 0 : (const unsigned char *)buffer - region->pointer);
    sluice_mpi_bytes_put_i64(bytes, elements);
    return sluice_mpi_datatype_put(bytes, type);
}

static const char *put_pieces(struct sluice_mpi_bytes *bytes,
                              const struct sluice_mpi_handle *handle)
{
    const char *why = NULL;
    sluice_mpi_bytes_put_i64(bytes, handle->results);
    for (int i = 0; i < handle->results && why == NULL; i++) {
        const struct sluice_mpi_piece *piece = &handle->pieces[i];
        why = put_buffer(bytes, piece->buffer, piece->count, piece->type);
    }
    return why;
}

static int flags_of(const struct sluice_mpi_handle *handle)
{
    return (handle->persistent ? PERSISTENT : 0) | (handle->active ? ACTIVE : 0)
        | (handle->complete || handle->kind == SLUICE_MPI_SEND ? COMPLETE : 0)
        | (handle->early ? EARLY : 0) | (handle->freed ? FREED : 0);
}

/* Returns whether a restart needs the buffer: to receive into it, or to start it again. */
static bool needs_buffer(int flags, int kind)
{
    return (flags & EARLY) == 0
        && ((flags & PERSISTENT) != 0 || (kind == SLUICE_MPI_RECEIVE && (flags & COMPLETE) == 0));
}

static const char *put_handle(struct sluice_mpi_bytes *bytes,
                              const struct sluice_mpi_handle *handle)
{
    const int flags = flags_of(handle);
    if (handle->kind == SLUICE_MPI_UNCOUNTED && !handle->persistent && !handle->complete)
        return "a request of a file is open: complete it before sluice_potential_checkpoint()";
    if (handle->kind == SLUICE_MPI_UNCOUNTED && handle->persistent) {
        return "there is a request of a persistent collective: free it before "
               "sluice_potential_checkpoint(), or use collectives that do not block";
    }
    /* An image has no status of a send. */
    if (handle->cancelled && handle->active
        && (!handle->complete || handle->kind == SLUICE_MPI_SEND)) {
        return "a request that MPI_Cancel was called for is not complete: complete it before "
               "sluice_potential_checkpoint()";
    }
    if (handle->freed && handle->kind == SLUICE_MPI_RECEIVE && !handle->complete)
        return "a receive that MPI_Request_free was called for is not complete";
    const char *why = check_results(handle);
    if (why != NULL)
        return why;
    sluice_mpi_bytes_put_i64(bytes, sluice_mpi_value(handle->request));
    sluice_mpi_bytes_put_i64(bytes, handle->number);
    sluice_mpi_bytes_put_i32(bytes, handle->kind);
    sluice_mpi_bytes_put_i32(bytes, flags);
    sluice_mpi_bytes_put_i64(bytes, handle->comm != NULL ? handle->comm->id : 0);
    sluice_mpi_bytes_put_i32(bytes, handle->peer);
    sluice_mpi_bytes_put_i32(bytes, handle->tag);
    sluice_mpi_bytes_put_i32(bytes, handle->mode);
    sluice_mpi_bytes_put_i32(bytes, handle->error);
    sluice_mpi_bytes_put_i64(bytes, handle->collective);
    sluice_mpi_bytes_put_i64(bytes, handle->posted);
    if ((flags & COMPLETE) != 0 && handle->kind != SLUICE_MPI_SEND)
        put_status(bytes, &handle->status);
    if (handle->kind == SLUICE_MPI_COLLECTIVE && !handle->complete)
        return put_pieces(bytes, handle);
    return needs_buffer(flags, handle->kind)
        ? put_buffer(bytes, handle->buffer, handle->count, handle->type)
        : NULL;
}

static void put_drained(struct sluice_mpi_bytes *bytes)
{
    sluice_mpi_bytes_put_i64(bytes, sluice_mpi_drained_count());
    for (struct sluice_mpi_drained *one = sluice_mpi.drained; one != NULL; one = one->next) {
        sluice_mpi_bytes_put_i64(bytes, one->comm->id);
        sluice_mpi_bytes_put_i32(bytes, one->source);
        sluice_mpi_bytes_put_i32(bytes, one->tag);
        sluice_mpi_bytes_put_i64(bytes, one->number);
        sluice_mpi_bytes_put_i64(bytes, one->bytes);
        sluice_mpi_bytes_put(bytes, one->data, one->bytes);
    }
}

const char *sluice_mpi_unfit(void)
{
    if (sluice_mpi.copying > 0)
        return "MPI_Comm_idup is not complete: complete it before sluice_potential_checkpoint()";
    if (sluice_mpi_comms_behind > 0) {
        return "a communicator was made behind the first sluice_potential_checkpoint() and is "
               "not freed, perhaps one of a library for an open file: make it before, or free "
               "it";
    }
    if (sluice_mpi_matched() > 0) {
        return "a message that MPI_Mprobe or MPI_Improbe found is not received: receive it before "
               "sluice_potential_checkpoint()";
    }
    if (sluice_mpi_splits() > 0) {
        return "a collective of a file has begun, as by MPI_File_write_all_begin, and not ended: "
               "end it before sluice_potential_checkpoint()";
    }
    return NULL;
}

const char *sluice_mpi_save(struct sluice_mpi_bytes *bytes)
{
    const char *why = sluice_mpi_unfit();
    if (why != NULL)
        return why;
    if (!sluice_mpi_freed_end()) {
        return "a request is open, or a message not received, on a communicator that was freed: "
               "complete it before sluice_potential_checkpoint()";
    }
    why = sluice_mpi_buffer_unlike_first();
    if (why != NULL)
        return why;
    sluice_mpi_drained_number();
    sluice_mpi_renumber();
    sluice_mpi_counts_put(bytes, &sluice_mpi.sent);
    sluice_mpi_counts_put(bytes, &sluice_mpi.got);
    sluice_mpi_put_collectives(bytes);
    sluice_mpi_bytes_put_i64(bytes, sluice_mpi.requests);
    sluice_mpi_bytes_put_i64(bytes, sluice_mpi.posted);
    int64_t count = 0;
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next)
        count++;
    sluice_mpi_bytes_put_i64(bytes, count);
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL && why == NULL;
         one = one->next) {
        why = put_handle(bytes, one);
    }
    if (why == NULL)
        put_drained(bytes);
    return why;
}

/* ---- a restart ---- */

static struct sluice_mpi_comm *get_communicator(struct sluice_mpi_reader *reader)
{
    const int64_t id = sluice_mpi_get_i64(reader);
    struct sluice_mpi_comm *comm = sluice_mpi_comm_by_id(id);
    if (comm == NULL && !reader->damaged) {
        sluice_mpi_abort("the checkpoint has a communicator that the program has not made again "
                         "before its first sluice_potential_checkpoint(): make the same ones");
    }
    return comm;
}

static void get_buffer(struct sluice_mpi_reader *reader, void **buffer, int64_t *elements,
                       MPI_Datatype *type)
{
    const int64_t id = sluice_mpi_get_i64(reader);
    const int64_t offset = sluice_mpi_get_i64(reader);
    const struct sluice_mpi_region *region = sluice_mpi_region_find((int)id);
    *buffer = region == NULL ? NULL : region->pointer + offset;
    *elements = sluice_mpi_get_i64(reader);
    *type = sluice_mpi_datatype_get(reader);
}

static void get_message(struct sluice_mpi_reader *reader, struct sluice_mpi_handle *handle)
{
    int64_t count = 0;
    get_buffer(reader, &handle->buffer, &count, &handle->own);
    handle->count = (int)count;
    handle->type = handle->own;
}

static void get_pieces(struct sluice_mpi_reader *reader, struct sluice_mpi_handle *handle)
{
    handle->results = (int)sluice_mpi_get_count(reader, 40);
    handle->pieces = calloc(handle->results + 1, sizeof *handle->pieces);
    for (int i = 0; i < handle->results && handle->pieces != NULL; i++) {
        struct sluice_mpi_piece *piece = &handle->pieces[i];
        get_buffer(reader, &piece->buffer, &piece->count, &piece->type);
        piece->own = piece->type != MPI_DATATYPE_NULL;
    }
}

/*
 * Finds a request that the program has made again on its way, or makes one in the place of the old.
 */
static struct sluice_mpi_handle *find(int64_t value, int flags, int kind)
{
    if ((flags & EARLY) == 0) {
        return (flags & FREED) != 0 ? sluice_mpi_handle(kind)
                                    : sluice_mpi_handle_again(kind, sluice_mpi_valued(value));
    }
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next)
        if (one->early && sluice_mpi_value(one->request) == value && (int)one->kind == kind)
            return one;
    sluice_mpi_abort("the checkpoint has a persistent request that the program has not made again "
                     "before its first sluice_potential_checkpoint(): make the same ones");
}

static void get_handle(struct sluice_mpi_reader *reader)
{
    const int64_t value = sluice_mpi_get_i64(reader);
    const int64_t number = sluice_mpi_get_i64(reader);
    const int kind = sluice_mpi_get_i32(reader);
    const int flags = sluice_mpi_get_i32(reader);
    if (reader->damaged)
        return;
    struct sluice_mpi_handle *handle = find(value, flags, kind);
    if ((flags & FREED) != 0)
        sluice_mpi_handle_free(handle);
    handle->number = number;
    handle->comm = get_communicator(reader);
    handle->peer = sluice_mpi_get_i32(reader);
    handle->tag = sluice_mpi_get_i32(reader);
    handle->mode = sluice_mpi_get_i32(reader);
    handle->error = sluice_mpi_get_i32(reader);
    handle->collective = sluice_mpi_get_i64(reader);
    handle->posted = sluice_mpi_get_i64(reader);
    handle->persistent = (flags & PERSISTENT) != 0;
    handle->active = (flags & ACTIVE) != 0;
    handle->complete = (flags & COMPLETE) != 0 && handle->active;
    sluice_mpi_empty_status(&handle->status);
    if ((flags & COMPLETE) != 0 && kind != SLUICE_MPI_SEND)
        get_status(reader, &handle->status);
    if (kind == SLUICE_MPI_COLLECTIVE && !handle->complete)
        get_pieces(reader, handle);
    else if (needs_buffer(flags, kind))
        get_message(reader, handle);
}

static void get_drained(struct sluice_mpi_reader *reader)
{
    const int64_t count = sluice_mpi_get_count(reader, 24);
    for (int64_t i = 0; i < count && !reader->damaged; i++) {
        struct sluice_mpi_comm *comm = get_communicator(reader);
        const int source = sluice_mpi_get_i32(reader);
        const int tag = sluice_mpi_get_i32(reader);
        const int64_t number = sluice_mpi_get_i64(reader);
        const int64_t bytes = sluice_mpi_get_i64(reader);
        const void *data = sluice_mpi_get(reader, bytes);
        if (data != NULL) {
            struct sluice_mpi_drained *one = sluice_mpi_drained_again(comm, source, tag, bytes);
            memcpy(one->data, data, bytes);
            one->number = number;
        }
    }
}

static void post_again(void)
{
    size_t count;
    struct sluice_mpi_handle **open = sluice_mpi_open_receives(&count);
    for (size_t i = 0; i < count; i++) {
        open[i]->again = true;
        if (sluice_mpi_receive_start(open[i]) != MPI_SUCCESS) {
            sluice_mpi_abort(
                "a receive that was open at the checkpoint cannot be posted again: go on from an "
                "older one by sluice rm --newest");
        }
        open[i]->again = false; /* a persistent one: the program itself starts it later */
    }
    free(open);
}

void sluice_mpi_restore(struct sluice_mpi_reader *reader)
{
    sluice_mpi_counts_read(reader, &sluice_mpi.sent);
    sluice_mpi_counts_read(reader, &sluice_mpi.got);
    const int64_t comms = sluice_mpi_get_count(reader, 16);
    for (int64_t i = 0; i < comms && !reader->damaged; i++) {
        struct sluice_mpi_comm *comm = get_communicator(reader);
        const int64_t collectives = sluice_mpi_get_i64(reader);
        if (comm != NULL)
            comm->collectives = collectives;
    }
    const int64_t requests = sluice_mpi_get_i64(reader);
    sluice_mpi.posted = sluice_mpi_get_i64(reader);
    const int64_t count = sluice_mpi_get_count(reader, 48);
    for (int64_t i = 0; i < count && !reader->damaged; i++)
        get_handle(reader);
    sluice_mpi.requests = requests;
    get_drained(reader);
    sluice_mpi_look_busy();
    if (!reader->damaged) {
        sluice_mpi.protocol->resume();
        post_again();
        sluice_mpi.protocol->resumed();
    }
}
