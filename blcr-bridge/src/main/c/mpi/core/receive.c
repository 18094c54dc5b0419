/* Receives and probes. Drained messages are older than those on the network. */
#include "calls.h"
#include "completion.h"
#include "drained.h"
#include "layer.h"
#include "message.h"
#include "progress.h"
#include "protocol.h"
#include "stream.h"
#include "wrappers/data.h"

struct sluice_mpi_comm *sluice_mpi_receives_of(int count, MPI_Datatype type, int source, int tag,
                                               MPI_Comm comm)
{
    struct sluice_mpi_comm *known = sluice_mpi_comm_of(comm);
    return known != NULL && (source == MPI_ANY_SOURCE || source == MPI_PROC_NULL || source >= 0)
            && source < known->size && (tag == MPI_ANY_TAG || tag >= 0) && count >= 0
            && type != MPI_DATATYPE_NULL
        ? known
        : NULL;
}

static bool is_counted(int source, const struct sluice_mpi_comm *comm)
{
    return comm != NULL && source != MPI_PROC_NULL;
}

static void take(struct sluice_mpi_handle *handle, struct sluice_mpi_drained *old)
{
    sluice_mpi_drained_take(old);
    handle->posted = old->posted;
    handle->drained = old;
    sluice_mpi_handle_look(handle);
    sluice_mpi_look_busy();
}

static int ask(struct sluice_mpi_handle *handle, int source, int tag)
{
    handle->plain = !handle->persistent;
    return real.Irecv(handle->buffer, handle->count, handle->type, source, tag,
                      handle->comm->handle, &handle->real);
}

/*
 * Posts a receive after trying it with MPI_PROC_NULL. A receive that MPI refuses would make all
 * later ones of its stream wait for a number.
 */
static int post_while_busy(struct sluice_mpi_handle *handle)
{
    const int result = real.Recv(handle->buffer, handle->count, handle->type, MPI_PROC_NULL,
                                 handle->tag, handle->comm->handle, MPI_STATUS_IGNORE);
    return result != MPI_SUCCESS ? result : sluice_mpi.protocol->calls->posts(handle);
}

int sluice_mpi_receive_start(struct sluice_mpi_handle *handle)
{
    if (!is_counted(handle->peer, handle->comm)) {
        handle->complete = true;
        sluice_mpi_empty_status(&handle->status);
        handle->status.MPI_SOURCE = MPI_PROC_NULL;
        return MPI_SUCCESS;
    }
    handle->posted = ++sluice_mpi.posted;
    if (__builtin_expect(sluice_mpi.busy, 0))
        return post_while_busy(handle);
    return ask(handle, handle->peer, handle->tag);
}

int sluice_mpi_post(struct sluice_mpi_handle *handle, int source, int tag)
{
    struct sluice_mpi_drained *old = sluice_mpi_drained_find(handle->comm, source, tag);
    if (old != NULL) {
        take(handle, old);
        return MPI_SUCCESS;
    }
    if (sluice_mpi.busy)
        sluice_mpi.protocol->calls->asks(handle, source, tag);
    return ask(handle, source, tag);
}

void sluice_mpi_handle_await(struct sluice_mpi_handle *handle)
{
    for (unsigned round = 0; !sluice_mpi_handle_look(handle); round++)
        sluice_mpi_wait(round);
}

static int receive_while_busy(void *buf, int count, MPI_Datatype type, int source, int tag,
                              struct sluice_mpi_comm *comm, MPI_Status *status)
{
    struct sluice_mpi_handle *handle =
        sluice_mpi_handle_message(SLUICE_MPI_RECEIVE, comm, buf, count, type, source, tag);
    handle->blocks = true;
    int result = sluice_mpi_receive_start(handle);
    if (result == MPI_SUCCESS) {
        sluice_mpi_handle_await(handle);
        sluice_mpi.protocol->calls->completes(&handle, 1);
        result = handle->error;
        sluice_mpi_tell_status(status, &handle->status);
    }
    sluice_mpi_handle_end(handle);
    return result;
}

int call_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    sluice_mpi_poll();
    struct sluice_mpi_comm *known = sluice_mpi_receives_of(count, type, source, tag, comm);
    if (!is_counted(source, known))
        return real.Recv(buf, count, type, source, tag, comm, status);
    if (__builtin_expect(sluice_mpi.busy, 0))
        return receive_while_busy(buf, count, type, source, tag, known, status);
    MPI_Status own;
    MPI_Status *asked = status == MPI_STATUS_IGNORE ? &own : status;
    const int result = real.Recv(buf, count, type, source, tag, comm, asked);
    if (sluice_mpi_has_taken(result))
        sluice_mpi_received(known, asked, ++sluice_mpi.posted);
    return result;
}

int call_irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    struct sluice_mpi_comm *known = sluice_mpi_receives_of(count, type, source, tag, comm);
    if (known == NULL)
        return real.Irecv(buf, count, type, source, tag, comm, request);
    struct sluice_mpi_handle *handle =
        sluice_mpi_handle_message(SLUICE_MPI_RECEIVE, known, buf, count, type, source, tag);
    const int result = sluice_mpi_receive_start(handle);
    if (result == MPI_SUCCESS)
        *request = handle->request;
    else
        sluice_mpi_handle_end(handle);
    return result;
}

int call_recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request *request)
{
    struct sluice_mpi_comm *known = sluice_mpi_receives_of(count, type, source, tag, comm);
    if (known == NULL)
        return real.Recv_init(buf, count, type, source, tag, comm, request);
    struct sluice_mpi_handle *handle =
        sluice_mpi_handle_message(SLUICE_MPI_RECEIVE, known, buf, count, type, source, tag);
    sluice_mpi_handle_persistent(handle);
    handle->active = false;
    *request = handle->request;
    return MPI_SUCCESS;
}

static int iprobe(int source, int tag, MPI_Comm comm, struct sluice_mpi_comm *known, bool waits,
                  int *flag, MPI_Status *status)
{
    if (sluice_mpi.busy) {
        const int answered = sluice_mpi.protocol->calls->probes(known, waits, flag, status);
        if (answered >= 0)
            return answered;
    }
    const struct sluice_mpi_drained *old = sluice_mpi_drained_find(known, source, tag);
    if (old == NULL)
        return real.Iprobe(source, tag, comm, flag, status);
    *flag = 1;
    sluice_mpi_drained_status(old, status);
    return MPI_SUCCESS;
}

int call_iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    sluice_mpi_poll();
    struct sluice_mpi_comm *known = sluice_mpi_receives_of(0, MPI_BYTE, source, tag, comm);
    if (!is_counted(source, known))
        return real.Iprobe(source, tag, comm, flag, status);
    MPI_Status own;
    MPI_Status *asked = status == MPI_STATUS_IGNORE ? &own : status;
    const int result = iprobe(source, tag, comm, known, false, flag, asked);
    if (sluice_mpi.busy && result == MPI_SUCCESS)
        sluice_mpi.protocol->calls->probed(known, *flag ? asked : NULL);
    return result;
}

/* Only a message found is an answer that counts. */
int call_probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    sluice_mpi_poll();
    struct sluice_mpi_comm *known = sluice_mpi_receives_of(0, MPI_BYTE, source, tag, comm);
    if (!is_counted(source, known) || !sluice_mpi.busy)
        return real.Probe(source, tag, comm, status);
    MPI_Status own;
    MPI_Status *asked = status == MPI_STATUS_IGNORE ? &own : status;
    int flag = 0;
    int result = MPI_SUCCESS;
    for (unsigned round = 0; result == MPI_SUCCESS && !flag; round++) {
        result = iprobe(source, tag, comm, known, true, &flag, asked);
        if (!flag)
            sluice_mpi_wait(round);
    }
    if (result == MPI_SUCCESS)
        sluice_mpi.protocol->calls->probed(known, asked);
    return result;
}
