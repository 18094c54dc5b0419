/*
 * The collectives of the program under C3. A straddling collective is answered from the record, at
 * every member.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c3.h"
#include "core/differs.h"
#include "core/inputs.h"
#include "core/layer.h"
#include "core/protocol.h"
#include "record.h"
#include "replay.h"
#include "wrappers/data.h"

static int64_t blocking; /* request of the blocking collective */

static void put_result(const struct sluice_mpi_kept *kept, const struct sluice_mpi_piece *pieces,
                       int count)
{
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
        const int64_t bytes = sluice_mpi_packed(pieces[i].count, pieces[i].type);
        if (at + bytes <= kept->bytes) {
            sluice_mpi_unpack(kept->data + at, bytes, pieces[i].buffer, pieces[i].count,
                              pieces[i].type);
        }
        at += bytes;
    }
    if (at != kept->bytes)
        sluice_mpi_replay_differs("a collective whose result has another length");
}

static struct sluice_mpi_piece *outputs(const struct sluice_mpi_collective *collective, int *count)
{
    *count = sluice_mpi_outputs(collective, NULL, 0);
    struct sluice_mpi_piece *pieces = malloc((*count + 1) * sizeof *pieces);
    if (pieces == NULL)
        sluice_mpi_abort("no memory for the results of %s", collective->name);
    sluice_mpi_outputs(collective, pieces, *count);
    return pieces;
}

/* Records that a blocking collective is complete, too. */
static void complete_blocking(void)
{
    sluice_mpi_record_one_completed(blocking);
    if (sluice_mpi_replay_is_on()) {
        const int64_t event[2] = {1, blocking};
        sluice_mpi_replay_check(SLUICE_C3_EVENT_COMPLETED, event, sizeof event);
    }
}

/* Returns the root in the world; -1 for none. MPI refuses a bad root. */
static int root_of(const struct sluice_mpi_collective *collective,
                   const struct sluice_mpi_comm *comm)
{
    const int root = collective->root;
    return root < 0 || root >= comm->size ? -1 : comm->world[root];
}

/* Compares the inputs with the record, which has only their checksum. */
static void look_whether_it_differs(const struct sluice_mpi_collective *collective,
                                    struct sluice_mpi_entered *now)
{
    size_t length;
    char what[100];
    const struct sluice_mpi_entered *was = sluice_mpi_replay_head(SLUICE_C3_EVENT_ENTERED, &length);
    struct sluice_mpi_entered as_then = *now;
    if (length == sizeof *now)
        as_then.check = was->check;
    if (length != sizeof *now || as_then.check == now->check
        || memcmp(was, &as_then, sizeof as_then) != 0) {
        return;
    }
    *now = as_then;
    int count;
    struct sluice_mpi_piece *pieces = sluice_mpi_inputs_of(collective, &count);
    snprintf(what, sizeof what, "what %s takes, collective %lld of its communicator,",
             collective->name, (long long)now->number);
    sluice_mpi_differs(what, pieces->buffer, pieces->count, pieces->type, NULL);
    free(pieces);
}

bool sluice_mpi_c3_enters(struct sluice_mpi_comm *comm,
                          const struct sluice_mpi_collective *collective, int64_t number,
                          struct sluice_mpi_handle *handle)
{
    const bool again = sluice_mpi_replay_is_on();
    if (handle == NULL)
        blocking = ++sluice_mpi.requests;
    struct sluice_mpi_entered entered = {.request = handle != NULL ? handle->number : blocking,
                                         .communicator = comm->id,
                                         .number = number,
                                         .flow = collective->flow,
                                         .root = root_of(collective, comm)};
    if (sluice_mpi_record_is_on() || again)
        entered.check = sluice_mpi_inputs_check(collective);
    sluice_mpi_record_event(SLUICE_C3_EVENT_ENTERED, &entered, sizeof entered);
    if (again) {
        look_whether_it_differs(collective, &entered);
        sluice_mpi_replay_check(SLUICE_C3_EVENT_ENTERED, &entered, sizeof entered);
    }
    struct sluice_mpi_kept kept;
    if (!sluice_mpi_late_result(comm->id, number, &kept))
        return false;
    int count;
    struct sluice_mpi_piece *pieces = outputs(collective, &count);
    put_result(&kept, pieces, count);
    free(pieces);
    if (handle == NULL) {
        complete_blocking();
    } else {
        sluice_mpi_empty_status(&handle->status);
        handle->complete = true;
    }
    comm->collectives++; /* so that nothing waits for it any more */
    sluice_mpi_replay_look_whether_over();
    comm->collectives--;
    return true;
}

void sluice_mpi_c3_left(struct sluice_mpi_comm *comm,
                        const struct sluice_mpi_collective *collective)
{
    if (sluice_mpi_record_is_on()) {
        int count;
        struct sluice_mpi_piece *pieces = outputs(collective, &count);
        sluice_mpi_record_result(comm->id, comm->collectives, pieces, count);
        free(pieces);
    }
    complete_blocking();
    sluice_mpi_replay_look_whether_over();
}

void sluice_mpi_c3_answer_open(struct sluice_mpi_handle *handle)
{
    struct sluice_mpi_kept kept;
    if (handle->comm == NULL
        || !sluice_mpi_late_result(handle->comm->id, handle->collective, &kept)) {
        sluice_mpi_abort(
            "the checkpoint has no result of a collective that was open: it is damaged");
    }
    put_result(&kept, handle->pieces, handle->results);
    sluice_mpi_empty_status(&handle->status);
    handle->complete = true;
}
