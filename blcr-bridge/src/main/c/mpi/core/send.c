/* Sends: they are counted and forwarded. */
#include "calls.h"
#include "layer.h"
#include "message.h"
#include "progress.h"
#include "protocol.h"
#include "rehearsal.h"
#include "stream.h"
#include "wrappers/data.h"

static int forward(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type,
                   int dest, int tag, MPI_Comm comm)
{
    switch (mode) {
    case SLUICE_MPI_BUFFERED:
        return real.Bsend(buf, count, type, dest, tag, comm);
    case SLUICE_MPI_SYNCHRONOUS:
        return real.Ssend(buf, count, type, dest, tag, comm);
    case SLUICE_MPI_READY:
        return real.Rsend(buf, count, type, dest, tag, comm);
    default:
        return real.Send(buf, count, type, dest, tag, comm);
    }
}

static int begin_otherwise(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type,
                           int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    switch (mode) {
    case SLUICE_MPI_BUFFERED:
        return real.Ibsend(buf, count, type, dest, tag, comm, request);
    case SLUICE_MPI_SYNCHRONOUS:
        return real.Issend(buf, count, type, dest, tag, comm, request);
    default: /* ready mode; in a recovery its receive may not be posted yet */
        return (sluice_mpi.busy ? real.Isend : real.Irsend)(buf, count, type, dest, tag, comm,
                                                            request);
    }
}

static inline int begin(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type,
                        int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    return __builtin_expect(mode == SLUICE_MPI_STANDARD, 1)
        ? real.Isend(buf, count, type, dest, tag, comm, request)
        : begin_otherwise(mode, buf, count, type, dest, tag, comm, request);
}

struct sluice_mpi_comm *sluice_mpi_sends_of(int count, MPI_Datatype type, int dest, int tag,
                                            MPI_Comm comm)
{
    struct sluice_mpi_comm *known = sluice_mpi_comm_of(comm);
    return known != NULL && dest >= 0 && dest < known->size && tag >= 0 && count >= 0
            && type != MPI_DATATYPE_NULL
        ? known
        : NULL;
}

/*
 * Starts a send while the rank is busy. `request` is MPI_REQUEST_NULL where the receiver has the
 * message, or the layer its data. A refused send must neither be recorded nor suppressed, so it is
 * tried with MPI_PROC_NULL first. This trial does not show the room of MPI_Bsend.
 */
static int start_while_busy(enum sluice_mpi_mode mode, const void *buf, int count,
                            MPI_Datatype type, int dest, int tag, struct sluice_mpi_comm *comm,
                            MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    int result = real.Send(buf, count, type, MPI_PROC_NULL, tag, comm->handle);
    if (result != MPI_SUCCESS)
        return result;
    sluice_mpi_rehearsal_sends(comm, dest, tag, buf, count, type);
    struct sluice_mpi_count *sent =
        sluice_mpi_counts_of(&sluice_mpi.sent, comm->id, sluice_mpi.rank, comm->world[dest], tag);
    if (!sluice_mpi.protocol->calls->sends(comm, dest, tag, sent->count + 1, buf, count, type))
        result = begin(mode, buf, count, type, dest, tag, comm->handle, request);
    if (result == MPI_SUCCESS) {
        sent->count++;
    } else {
        sluice_mpi.protocol->cannot(
            "MPI refuses a message while what crosses the line is recorded");
    }
    return result;
}

static int send_while_busy(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type,
                           int dest, int tag, struct sluice_mpi_comm *comm)
{
    MPI_Request request;
    int result = start_while_busy(mode, buf, count, type, dest, tag, comm, &request);
    int flag = request == MPI_REQUEST_NULL;
    for (unsigned round = 0; result == MPI_SUCCESS && !flag; round++) {
        result = real.Test(&request, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            sluice_mpi_wait(round);
    }
    return result;
}

int call_send(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type, int dest,
              int tag, MPI_Comm comm)
{
    sluice_mpi_poll();
    struct sluice_mpi_comm *known = sluice_mpi_sends_of(count, type, dest, tag, comm);
    if (__builtin_expect(sluice_mpi.busy, 0) && known != NULL)
        return send_while_busy(mode, buf, count, type, dest, tag, known);
    const int result = forward(mode, buf, count, type, dest, tag, comm);
    if (__builtin_expect(known != NULL && result == MPI_SUCCESS, 1))
        sluice_mpi_sends(known, dest, tag);
    return result;
}

/* Starts a send. `known` is NULL where nothing is counted. */
static inline int start(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type,
                        int dest, int tag, MPI_Comm comm, struct sluice_mpi_comm *known,
                        MPI_Request *request)
{
    if (__builtin_expect(sluice_mpi.busy, 0) && known != NULL)
        return start_while_busy(mode, buf, count, type, dest, tag, known, request);
    const int result = begin(mode, buf, count, type, dest, tag, comm, request);
    if (__builtin_expect(known != NULL && result == MPI_SUCCESS, 1))
        sluice_mpi_sends(known, dest, tag);
    return result;
}

static struct sluice_mpi_handle *make(enum sluice_mpi_mode mode, const void *buf, int count,
                                      MPI_Datatype type, int dest, int tag,
                                      struct sluice_mpi_comm *comm)
{
    struct sluice_mpi_handle *handle =
        sluice_mpi_handle_message(SLUICE_MPI_SEND, comm, (void *)buf, count, type, dest, tag);
    handle->mode = (int)mode;
    return handle;
}

/* Completes a send that the layer itself has done. */
static void is_done(struct sluice_mpi_handle *handle)
{
    if (handle->real == MPI_REQUEST_NULL) {
        handle->complete = true;
        sluice_mpi_empty_status(&handle->status);
    }
}

int sluice_mpi_send_start(struct sluice_mpi_handle *handle)
{
    int result;
    if (handle->comm == NULL || handle->peer < 0) {
        result = MPI_SUCCESS; /* to MPI_PROC_NULL */
    } else {
        result = start(handle->mode, handle->buffer, handle->count, handle->type, handle->peer,
                       handle->tag, handle->comm->handle, handle->comm, &handle->real);
    }
    is_done(handle);
    return result;
}

int call_isend(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type, int dest,
               int tag, MPI_Comm comm, MPI_Request *request)
{
    struct sluice_mpi_comm *known = sluice_mpi_sends_of(count, type, dest, tag, comm);
    MPI_Request made;
    const int result = start(mode, buf, count, type, dest, tag, comm, known, &made);
    if (result != MPI_SUCCESS)
        return result;
    struct sluice_mpi_handle *handle = make(mode, buf, count, type, dest, tag, known);
    handle->real = made;
    handle->plain = made != MPI_REQUEST_NULL;
    is_done(handle);
    *request = handle->request;
    return MPI_SUCCESS;
}

int call_send_init(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type,
                   int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct sluice_mpi_comm *known = sluice_mpi_sends_of(count, type, dest, tag, comm);
    if (known == NULL && dest != MPI_PROC_NULL) /* MPI says what is wrong */
        return real.Send_init(buf, count, type, dest, tag, comm, request);
    struct sluice_mpi_handle *handle = make(mode, buf, count, type, dest, tag, known);
    sluice_mpi_handle_persistent(handle);
    handle->active = false;
    *request = handle->request;
    return MPI_SUCCESS;
}
