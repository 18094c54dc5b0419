/* An engine that has the library do what the program says, with requests of the layer. */
#include <stdlib.h>
#include <string.h>

#include "core/calls.h"
#include "wrappers/communicator.h"
#include "wrappers/data.h"
#include "wrappers/real.h"
#include "wrappers/request.h"

struct handle {
    MPI_Request request;
    MPI_Request real;
    bool persistent;
    bool ready;
    MPI_Status status;
    struct sluice_mpi_comm *begun;
    struct handle *next;
};

static struct handle *unused;

static int make(int result, MPI_Request *request, bool persistent)
{
    if (result != MPI_SUCCESS)
        return result;
    struct handle *handle = unused;
    if (handle != NULL) {
        unused = handle->next;
    } else {
        handle = malloc(sizeof *handle);
        handle->request = sluice_mpi_request(handle, false);
    }
    handle->real = *request;
    handle->persistent = persistent;
    handle->ready = false;
    handle->begun = NULL;
    *request = handle->request;
    return result;
}

static struct handle *handle_of(MPI_Request request)
{
    struct sluice_mpi_slot *slot = sluice_mpi_slot(request);
    if (slot == NULL && request != MPI_REQUEST_NULL) {
        sluice_mpi_abort("a request is not the layer's: %#llx",
                         (unsigned long long)sluice_mpi_value(request));
    }
    return slot != NULL ? slot->handle : NULL;
}

static void release(MPI_Request *request)
{
    struct handle *handle = handle_of(*request);
    if (handle->begun != NULL)
        sluice_mpi_comm_done(handle->begun);
    handle->next = unused;
    unused = handle;
    *request = MPI_REQUEST_NULL;
}

int call_send(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type, int dest,
              int tag, MPI_Comm comm)
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

int call_isend(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type, int dest,
               int tag, MPI_Comm comm, MPI_Request *request)
{
    __typeof__(real.Isend) sends[] = {real.Isend, real.Ibsend, real.Issend, real.Irsend};
    return make(sends[mode](buf, count, type, dest, tag, comm, request), request, false);
}

int call_send_init(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type,
                   int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    __typeof__(real.Send_init) sends[] = {real.Send_init, real.Bsend_init, real.Ssend_init,
                                          real.Rsend_init};
    return make(sends[mode](buf, count, type, dest, tag, comm, request), request, true);
}

int call_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    return real.Recv(buf, count, type, source, tag, comm, status);
}

int call_irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    return make(real.Irecv(buf, count, type, source, tag, comm, request), request, false);
}

int call_recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request *request)
{
    return make(real.Recv_init(buf, count, type, source, tag, comm, request), request, true);
}

int call_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Status *status)
{
    return real.Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                         source, recvtag, comm, status);
}

int call_sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return real.Sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, status);
}

int call_probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    return real.Probe(source, tag, comm, status);
}

int call_iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    return real.Iprobe(source, tag, comm, flag, status);
}

int call_start(int count, MPI_Request *requests)
{
    for (int at = 0; at < count; at++) {
        const int result = real.Start(&handle_of(requests[at])->real);
        if (result != MPI_SUCCESS)
            return result;
    }
    return MPI_SUCCESS;
}

int call_request_free(MPI_Request *request)
{
    struct handle *handle = handle_of(*request);
    const int result = handle->ready ? MPI_SUCCESS : real.Request_free(&handle->real);
    release(request);
    return result;
}

int call_cancel(MPI_Request *request)
{
    return real.Cancel(&handle_of(*request)->real);
}

int call_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct handle *handle = handle_of(request);
    if (handle == NULL || !handle->ready) {
        return real.Request_get_status(handle == NULL ? MPI_REQUEST_NULL : handle->real, flag,
                                       status);
    }
    *flag = 1;
    sluice_mpi_tell_status(status, &handle->status);
    return MPI_SUCCESS;
}

static int ask(int count, MPI_Request *reals, enum sluice_mpi_how how, int *outcount, int *flag,
               int *indices, MPI_Status *statuses)
{
    switch (how) {
    case SLUICE_MPI_WAIT:
        return real.Wait(reals, statuses);
    case SLUICE_MPI_WAIT_ALL:
        return real.Waitall(count, reals, statuses);
    case SLUICE_MPI_WAIT_ANY:
        return real.Waitany(count, reals, indices, statuses);
    case SLUICE_MPI_WAIT_SOME:
        return real.Waitsome(count, reals, outcount, indices, statuses);
    case SLUICE_MPI_TEST:
        return real.Test(reals, flag, statuses);
    case SLUICE_MPI_TEST_ALL:
        return real.Testall(count, reals, flag, statuses);
    case SLUICE_MPI_TEST_ANY:
        return real.Testany(count, reals, indices, flag, statuses);
    default:
        return real.Testsome(count, reals, outcount, indices, statuses);
    }
}

int call_complete(int count, MPI_Request *requests, enum sluice_mpi_how how, int *outcount,
                  int *flag, int *indices, MPI_Status *statuses)
{
    MPI_Request few[16];
    MPI_Request *reals = count > 16 ? malloc(count * sizeof *reals) : few;
    for (int at = 0; at < count; at++) {
        struct handle *handle = handle_of(requests[at]);
        if (handle != NULL && handle->ready) {
            if (count > 1)
                sluice_mpi_abort("a request that is ready is not alone: not in this engine");
            sluice_mpi_tell_status(statuses, &handle->status);
            if (flag != NULL)
                *flag = 1;
            release(&requests[at]);
            return MPI_SUCCESS;
        }
        reals[at] = handle != NULL ? handle->real : MPI_REQUEST_NULL;
    }
    const int result = ask(count, reals, how, outcount, flag, indices, statuses);
    for (int at = 0; at < count; at++) {
        struct handle *handle = handle_of(requests[at]);
        if (handle != NULL && reals[at] == MPI_REQUEST_NULL)
            release(&requests[at]);
    }
    if (reals != few)
        free(reals);
    return result;
}

int call_collective(const struct sluice_mpi_collective *collective, MPI_Request *request)
{
    const int result = collective->forward(collective, request);
    return request != NULL ? make(result, request, false) : result;
}

int call_uncounted(MPI_Request *request, bool persistent)
{
    return make(MPI_SUCCESS, request, persistent);
}

void call_together(const char *function)
{
    (void)function;
}

int call_ready(void *buf, int count, MPI_Datatype type, const MPI_Status *status,
               MPI_Request *request)
{
    (void)buf;
    (void)count;
    (void)type;
    make(MPI_SUCCESS, request, false);
    struct handle *handle = handle_of(*request);
    handle->ready = true;
    handle->status = *status;
    return MPI_SUCCESS;
}

void call_making(MPI_Comm parent)
{
    (void)parent;
}

int call_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    return real.Comm_create_group(comm, group, tag, made);
}

int call_intercomm_create(MPI_Comm local, int first, MPI_Comm bridge, int other, int tag,
                          MPI_Comm *made)
{
    return real.Intercomm_create(local, first, bridge, other, tag, made);
}

void call_begun(struct sluice_mpi_comm *comm, MPI_Request *request)
{
    make(MPI_SUCCESS, request, false);
    handle_of(*request)->begun = comm;
}

void call_comm_freed(struct sluice_mpi_comm *comm)
{
    sluice_mpi_comm_end(comm);
}

void call_init(void)
{
    sluice_mpi_on = true;
}

void call_finalize(void)
{
}

int call_protect(int id, void *pointer, size_t bytes)
{
    (void)id;
    (void)pointer;
    return (int)bytes;
}

size_t call_protected_bytes(int id)
{
    return (size_t)id * 10;
}

int call_potential_checkpoint(const void *place)
{
    return place != NULL;
}

int call_type_freed(MPI_Datatype type)
{
    (void)type;
    return MPI_SUCCESS;
}

void call_refused(const char *why)
{
    sluice_mpi_say("%s", why);
}
