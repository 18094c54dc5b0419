/* Calls with requests other than Wait and Test. */
#include "calls.h"
#include "completion.h"
#include "layer.h"
#include "message.h"
#include "progress.h"
#include "protocol.h"
#include "wrappers/data.h"
#include "wrappers/request.h"

static int start(struct sluice_mpi_handle *handle)
{
    handle->active = true;
    handle->complete = false;
    handle->cancelled = false;
    handle->number = ++sluice_mpi.requests; /* another request to the protocols */
    switch (handle->kind) {
    case SLUICE_MPI_SEND:
        return sluice_mpi_send_start(handle);
    case SLUICE_MPI_RECEIVE:
        return sluice_mpi_receive_start(handle);
    default:
        return real.Start(&handle->real);
    }
}

/* Refuses a request that the call is not for. */
static int refuse(void)
{
    real.Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
}

int call_start(int count, MPI_Request *requests)
{
    sluice_mpi_poll_between();
    for (int at = 0; at < count; at++) {
        if (sluice_mpi_is_foreign(requests[at])) {
            real.Start(&requests[at]);
            continue;
        }
        struct sluice_mpi_handle *handle = sluice_mpi_handle_of(requests[at]);
        if (handle == NULL || !handle->persistent || handle->active)
            return refuse();
        const int result = start(handle);
        if (result != MPI_SUCCESS) {
            handle->active = false; /* nothing would ever complete it */
            handle->complete = false;
            return result;
        }
    }
    return MPI_SUCCESS;
}

/*
 * An active one goes on. A send is counted already, unless it is cancelled in time. The layer
 * looks at such a send, and at a receive, until it is complete.
 */
int call_request_free(MPI_Request *request)
{
    sluice_mpi_poll_between();
    if (sluice_mpi_is_foreign(*request))
        return real.Request_free(request);
    struct sluice_mpi_handle *handle = sluice_mpi_handle_of(*request);
    if (handle == NULL)
        return refuse();
    *request = MPI_REQUEST_NULL;
    const bool over = sluice_mpi_handle_look(handle);
    const bool counted = handle->kind == SLUICE_MPI_SEND && !handle->cancelled;
    if (!over && counted)
        real.Request_free(&handle->real);
    if (over || counted)
        sluice_mpi_handle_end(handle);
    else
        sluice_mpi_handle_free(handle);
    return MPI_SUCCESS;
}

int call_cancel(MPI_Request *request)
{
    sluice_mpi_poll_between();
    if (sluice_mpi_is_foreign(*request))
        return real.Cancel(request);
    struct sluice_mpi_handle *handle = sluice_mpi_handle_of(*request);
    if (handle == NULL)
        return refuse();
    sluice_mpi.protocol->cannot("MPI_Cancel is called while what crosses the line is recorded");
    handle->cancelled = true;
    handle->plain = false;
    return handle->active && handle->real != MPI_REQUEST_NULL ? real.Cancel(&handle->real)
                                                              : MPI_SUCCESS;
}

/*
 * Makes an empty status. Open MPI 4.1 would leave the former error there, while MPI asks for none.
 */
static void tell_nothing(MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
    sluice_mpi_empty_status(status);
}

int call_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    sluice_mpi_poll();
    if (request == MPI_REQUEST_NULL) {
        *flag = 1;
        tell_nothing(status);
        return MPI_SUCCESS;
    }
    if (sluice_mpi_is_foreign(request))
        return real.Request_get_status(request, flag, status);
    struct sluice_mpi_handle *handle = sluice_mpi_handle_of(request);
    if (sluice_mpi.busy) {
        sluice_mpi.protocol->cannot(
            "MPI_Request_get_status is called while what crosses the line is recorded");
    }
    *flag = sluice_mpi_handle_look(handle);
    if (*flag && sluice_mpi_handle_is_active(handle))
        sluice_mpi_tell_status(status, &handle->status);
    else if (*flag)
        tell_nothing(status);
    return MPI_SUCCESS;
}

int call_uncounted(MPI_Request *request, bool persistent)
{
    struct sluice_mpi_handle *handle = sluice_mpi_handle(SLUICE_MPI_UNCOUNTED);
    handle->active = !persistent;
    if (persistent) {
        sluice_mpi_handle_persistent(handle);
        sluice_mpi.protocol->cannot(
            "a persistent collective is made while what crosses the line is recorded");
    }
    handle->real = *request;
    *request = handle->request;
    return MPI_SUCCESS;
}

int call_ready(void *buf, int count, MPI_Datatype type, const MPI_Status *status,
               MPI_Request *request)
{
    struct sluice_mpi_handle *handle = sluice_mpi_handle_message(
        SLUICE_MPI_UNCOUNTED, NULL, buf, count, type, status->MPI_SOURCE, status->MPI_TAG);
    handle->complete = true;
    handle->status = *status;
    *request = handle->request;
    return MPI_SUCCESS;
}

int call_type_freed(MPI_Datatype type)
{
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next) {
        if (one->type == type && one->own == MPI_DATATYPE_NULL) {
            real.Type_dup(type, &one->own);
            one->type = one->own;
            one->plain = false;
        }
        for (int i = 0; i < one->results; i++) {
            if (one->pieces[i].type == type && !one->pieces[i].own) {
                real.Type_dup(type, &one->pieces[i].type);
                one->pieces[i].own = true;
            }
        }
    }
    return MPI_SUCCESS;
}
