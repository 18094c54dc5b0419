/*
 * The calls of the program under C3. org.sluice.iop.wave.protocol.C3Rank of the simulator has the
 * same in Java.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c3.h"
#include "core/completion.h"
#include "core/datatype.h"
#include "core/differs.h"
#include "core/drained.h"
#include "core/layer.h"
#include "core/message.h"
#include "core/progress.h"
#include "core/protocol.h"
#include "core/stream.h"
#include "record.h"
#include "replay.h"
#include "wrappers/data.h"

/*
 * A message of a recovery whose data the layer keeps: the first one may have been complete because
 * MPI had room.
 */
struct buffered {
    MPI_Request request;
    void *data;
    struct buffered *next;
};

static struct buffered *buffered;

static void look_at_buffered(void)
{
    for (struct buffered **at = &buffered; *at != NULL;) {
        struct buffered *one = *at;
        int flag = 0;
        real.Test(&one->request, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            *at = one->next;
            free(one->data);
            free(one);
        } else {
            at = &one->next;
        }
    }
}

bool sluice_mpi_c3_buffers(void)
{
    look_at_buffered();
    return buffered != NULL;
}

static void send_as_bytes(const struct sluice_mpi_comm *comm, int dest, int tag, int64_t bytes,
                          struct buffered *one)
{
    int count;
    MPI_Datatype type = sluice_mpi_bytes_type(bytes, &count);
    real.Isend(one->data, count, type, dest, tag, comm->handle, &one->request);
    sluice_mpi_bytes_type_end(type);
}

/*
 * Sends by the program's own type, with the data placed as in its buffer. As bytes, the message
 * would be too long for a receive of large structs under MPICH 4.0. No memory is long enough for a
 * type of addresses with parts both in data and on the stack; those are sent as bytes.
 */
static void send_buffered(const struct sluice_mpi_comm *comm, int dest, int tag, const void *buf,
                          int count, MPI_Datatype type, const struct sluice_mpi_kept *first)
{
    const int64_t bytes = sluice_mpi_packed(count, type);
    int64_t low;
    int64_t high;
    sluice_mpi_bounds(count, type, &low, &high);
    void *packed = malloc(bytes + 1);
    struct buffered *one = malloc(sizeof *one);
    unsigned char *spread = malloc(high - low + 1);
    if (one == NULL || packed == NULL || sluice_mpi_pack(buf, count, type, packed) != MPI_SUCCESS)
        sluice_mpi_abort("no memory for a message of %lld bytes", (long long)bytes);
    if (first != NULL)
        memcpy(packed, first->data, bytes);
    if (spread == NULL) {
        one->data = packed;
        send_as_bytes(comm, dest, tag, bytes, one);
    } else {
        one->data = spread;
        sluice_mpi_unpack(packed, bytes, spread - low, count, type);
        free(packed);
        real.Isend(spread - low, count, type, dest, tag, comm->handle, &one->request);
    }
    one->next = buffered;
    buffered = one;
}

/*
 * Compares the message with the recorded one. If its bytes differ, `first` gets the former ones, as
 * far as the wave has them.
 */
static void look_whether_it_differs(struct sluice_mpi_sent *now, const void *buf, int count,
                                    MPI_Datatype type, struct sluice_mpi_kept *first)
{
    size_t length;
    char what[100];
    const struct sluice_mpi_sent *was = sluice_mpi_replay_head(SLUICE_C3_EVENT_SENT, &length);
    const struct sluice_mpi_message *message = &now->message;
    if (length != sizeof *now || memcmp(&was->message, message, sizeof *message) != 0
        || was->check == now->check) {
        return;
    }
    now->check = was->check;
    if (!sluice_mpi_late_sent(message, first) || first->bytes != sluice_mpi_packed(count, type))
        *first = (struct sluice_mpi_kept){0};
    snprintf(what, sizeof what, "message %lld to rank %lld with tag %lld",
             (long long)message->number, (long long)message->stream.destination,
             (long long)message->stream.tag);
    sluice_mpi_differs(what, buf, count, type, first->data);
}

static bool sends(const struct sluice_mpi_comm *comm, int dest, int tag, int64_t number,
                  const void *buf, int count, MPI_Datatype type)
{
    const bool again = sluice_mpi_replay_is_on();
    struct sluice_mpi_sent sent = {
        .message = {{comm->id, sluice_mpi.rank, comm->world[dest], tag, 0}, number}};
    if (sluice_mpi_record_is_on() || again)
        sent.check = sluice_mpi_datatype_check(buf, count, type);
    struct sluice_mpi_kept first = {0};
    sluice_mpi_record_event(SLUICE_C3_EVENT_SENT, &sent, sizeof sent);
    if (sluice_mpi_record_is_on())
        sluice_mpi_record_sent(&sent.message, buf, count, type);
    if (again) {
        look_whether_it_differs(&sent, buf, count, type, &first);
        sluice_mpi_replay_check(SLUICE_C3_EVENT_SENT, &sent, sizeof sent);
    }
    if (sluice_mpi_replay_suppresses(&sent.message)) {
        sluice_mpi_replay_look_whether_over();
        return true;
    }
    if (again)
        send_buffered(comm, dest, tag, buf, count, type, first.data != NULL ? &first : NULL);
    return again;
}

static struct sluice_mpi_stream stream_of(const struct sluice_mpi_comm *comm,
                                          const MPI_Status *status)
{
    return (struct sluice_mpi_stream){comm->id, comm->world[status->MPI_SOURCE], sluice_mpi.rank,
                                      status->MPI_TAG, 0};
}

static void give(struct sluice_mpi_handle *handle, const struct sluice_mpi_message *message,
                 const struct sluice_mpi_kept *kept)
{
    MPI_Status status;
    sluice_mpi_empty_status(&status);
    status.MPI_SOURCE = sluice_mpi_rank_in(handle->comm, message->stream.source);
    status.MPI_TAG = message->stream.tag;
    sluice_mpi_set_bytes(&status, kept->bytes);
    handle->error = MPI_SUCCESS;
    if (kept->bytes > sluice_mpi_packed(handle->count, handle->type)) {
        handle->error = MPI_ERR_TRUNCATE;
        real.Comm_call_errhandler(handle->comm->handle, handle->error);
    } else {
        sluice_mpi_unpack(kept->data, kept->bytes, handle->buffer, handle->count, handle->type);
    }
    sluice_mpi_handle_completed(handle, &status);
}

static int posts(struct sluice_mpi_handle *handle)
{
    const struct sluice_mpi_posting posting = {
        handle->number, handle->comm->id,
        handle->peer == MPI_ANY_SOURCE ? -1 : handle->comm->world[handle->peer],
        handle->tag == MPI_ANY_TAG ? -1 : handle->tag};
    if (!handle->again) {
        sluice_mpi_record_event(SLUICE_C3_EVENT_POSTED, &posting, sizeof posting);
        sluice_mpi_replay_check(SLUICE_C3_EVENT_POSTED, &posting, sizeof posting);
    }
    const struct sluice_mpi_message *forced = sluice_mpi_replay_forced(handle->number);
    if (forced == NULL)
        return sluice_mpi_post(handle, handle->peer, handle->tag);
    struct sluice_mpi_kept kept;
    if (sluice_mpi_late_message(forced, &kept)) {
        give(handle, forced, &kept);
        return MPI_SUCCESS;
    }
    return sluice_mpi_post(handle, sluice_mpi_rank_in(handle->comm, forced->stream.source),
                           forced->stream.tag);
}

static void asks(const struct sluice_mpi_handle *handle, int source, int tag)
{
    if (sluice_mpi_record_is_on()) {
        sluice_mpi_numbering_posted(handle->number, handle->comm->id,
                                    source == MPI_ANY_SOURCE ? -1 : handle->comm->world[source],
                                    tag == MPI_ANY_TAG ? -1 : tag);
    }
}

static void ended(const struct sluice_mpi_handle *handle)
{
    if (!sluice_mpi_record_is_on())
        return;
    if (handle->kind == SLUICE_MPI_RECEIVE && handle->status.MPI_SOURCE >= 0) {
        const struct sluice_mpi_stream stream = stream_of(handle->comm, &handle->status);
        sluice_mpi_numbering_completed(handle->number, &stream);
        sluice_mpi_record_data(handle->number, handle->buffer, handle->count, handle->type,
                               &handle->status);
    } else if (handle->kind == SLUICE_MPI_COLLECTIVE) {
        sluice_mpi_record_result(handle->comm->id, handle->collective, handle->pieces,
                                 handle->results);
    }
}

static void drained(const struct sluice_mpi_drained *one, const MPI_Status *status)
{
    if (!sluice_mpi_record_is_on() || one->name == 0)
        return;
    const struct sluice_mpi_stream stream = stream_of(one->comm, status);
    sluice_mpi_numbering_completed(one->name, &stream);
    sluice_mpi_record_data(one->name, one->data, one->bytes, MPI_BYTE, status);
}

static void gives(const struct sluice_mpi_drained *one, const struct sluice_mpi_handle *handle)
{
    if (!sluice_mpi_record_is_on())
        return;
    const struct sluice_mpi_message message = {
        {one->comm->id, one->comm->world[one->source], sluice_mpi.rank, one->tag, 0}, one->number};
    sluice_mpi_record_taken(handle->number, &message);
}

static void completes(struct sluice_mpi_handle *const *handles, int count)
{
    sluice_mpi_record_completed(handles, count);
    if (!sluice_mpi_replay_is_on())
        return;
    if (count == 0) {
        sluice_mpi_replay_tell_nothing();
    } else {
        size_t length;
        sluice_mpi_replay_head(SLUICE_C3_EVENT_COMPLETED, &length);
        sluice_mpi_replay_next();
    }
    sluice_mpi_replay_look_whether_over();
}

static void hide_all(int count, struct sluice_mpi_handle **handles, enum sluice_mpi_how how)
{
    for (int at = 0; at < count; at++) {
        if (sluice_mpi_handle_is_active(handles[at]) && !sluice_mpi_tests(how))
            sluice_mpi_replay_differs("a wait, where it had a test or probe that told it nothing");
        if (sluice_mpi_handle_is_active(handles[at]))
            handles[at]->hidden = true;
    }
}

static bool answers(int count, struct sluice_mpi_handle **handles, enum sluice_mpi_how how)
{
    if (!sluice_mpi_replay_is_on())
        return false;
    if (sluice_mpi_replay_tells_nothing()) {
        hide_all(count, handles, how);
        return true;
    }
    size_t length;
    const int64_t *told = sluice_mpi_replay_head(SLUICE_C3_EVENT_COMPLETED, &length);
    int64_t missing = told[0];
    for (int at = 0; at < count; at++) {
        struct sluice_mpi_handle *handle = handles[at];
        if (!sluice_mpi_handle_is_active(handle))
            continue;
        int64_t i = 1;
        while (i <= told[0] && told[i] != handle->number)
            i++;
        handle->hidden = i > told[0];
        missing -= !handle->hidden;
    }
    if (missing != 0)
        sluice_mpi_replay_differs("a wait or test for other requests");
    for (int at = 0; at < count; at++)
        if (sluice_mpi_handle_is_active(handles[at]) && !handles[at]->hidden)
            sluice_mpi_handle_await(handles[at]);
    return true;
}

/* Waits for a message that a probe had found: it is there, or on its way. */
static void await_found(struct sluice_mpi_comm *comm, const struct sluice_mpi_message *message,
                        MPI_Status *status)
{
    const int source = sluice_mpi_rank_in(comm, message->stream.source);
    struct sluice_mpi_kept kept;
    if (sluice_mpi_late_message(message, &kept)) {
        sluice_mpi_empty_status(status);
        status->MPI_SOURCE = source;
        status->MPI_TAG = message->stream.tag;
        sluice_mpi_set_bytes(status, kept.bytes);
        return;
    }
    const struct sluice_mpi_drained *old =
        sluice_mpi_drained_find(comm, source, message->stream.tag);
    if (old != NULL) {
        sluice_mpi_drained_status(old, status);
        return;
    }
    int flag = 0;
    for (unsigned round = 0; !flag; round++) {
        real.Iprobe(source, message->stream.tag, comm->handle, &flag, status);
        if (!flag)
            sluice_mpi_wait(round);
    }
}

static int probes(struct sluice_mpi_comm *comm, bool waits, int *flag, MPI_Status *status)
{
    if (!sluice_mpi_replay_is_on())
        return -1;
    if (!waits && sluice_mpi_replay_tells_nothing()) {
        *flag = 0;
        sluice_mpi_replay_tell_nothing();
        sluice_mpi_replay_look_whether_over();
        return MPI_SUCCESS;
    }
    size_t length;
    const int64_t request =
        *(const int64_t *)sluice_mpi_replay_head(SLUICE_C3_EVENT_PROBED, &length);
    const struct sluice_mpi_message *message = sluice_mpi_replay_found(request);
    *flag = message != NULL;
    if (request > sluice_mpi.requests)
        sluice_mpi.requests = request;
    if (message != NULL)
        await_found(comm, message, status);
    sluice_mpi_replay_next();
    sluice_mpi_replay_look_whether_over();
    return MPI_SUCCESS;
}

static void probed(struct sluice_mpi_comm *comm, const MPI_Status *found)
{
    if (!sluice_mpi_record_is_on())
        return;
    if (found == NULL) {
        sluice_mpi_record_nothing();
        return;
    }
    const int64_t request = ++sluice_mpi.requests;
    const struct sluice_mpi_stream stream = stream_of(comm, found);
    const struct sluice_mpi_drained *old =
        sluice_mpi_drained_find(comm, found->MPI_SOURCE, found->MPI_TAG);
    if (old == NULL)
        sluice_mpi_numbering_found(request, &stream);
    sluice_mpi_record_found(request);
    if (old != NULL) {
        const struct sluice_mpi_message message = {stream, old->number};
        sluice_mpi_record_taken(request, &message);
    }
}

const struct sluice_mpi_calls sluice_mpi_c3_calls = {
    .sends = sends,
    .posts = posts,
    .asks = asks,
    .ended = ended,
    .drained = drained,
    .gives = gives,
    .completes = completes,
    .answers = answers,
    .probes = probes,
    .probed = probed,
    .enters = sluice_mpi_c3_enters,
    .left = sluice_mpi_c3_left,
};
