#include "completion.h"

#include "drained.h"
#include "layer.h"
#include "protocol.h"
#include "stream.h"
#include "wrappers/data.h"

/* Takes the count of a send back that was cancelled in time: nobody receives it. */
static void take_back(const struct sluice_mpi_handle *handle, const MPI_Status *status)
{
    int cancelled = 0;
    real.Test_cancelled(status, &cancelled);
    if (cancelled) {
        sluice_mpi_counts_of(&sluice_mpi.sent, handle->comm->id, sluice_mpi.rank,
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
            sluice_mpi.protocol->cannot("a message is longer than its receive has room for");
    }
    if (__builtin_expect(handle->cancelled, 0) && handle->kind == SLUICE_MPI_SEND)
        take_back(handle, status);
    if (handle->kind == SLUICE_MPI_COMMUNICATOR) {
        sluice_mpi.copying--;
        if (handle->error == MPI_SUCCESS)
            sluice_mpi_comm_done(handle->comm);
    }
    if (sluice_mpi.busy)
        sluice_mpi.protocol->calls->ended(handle);
}

/* Completes a receive that takes a drained message, if that has come. */
static bool look_at_drained(struct sluice_mpi_handle *handle)
{
    if (!sluice_mpi_drained_look(handle->drained))
        return false;
    sluice_mpi.protocol->calls->gives(handle->drained, handle);
    handle->error = sluice_mpi_drained_give(handle->drained, handle->buffer, handle->count,
                                            handle->type, &handle->status);
    handle->drained = NULL;
    handle->complete = true; /* the record has its data by the drained message's own name */
    return true;
}

/*
 * Tests a receive that blocks. MPICH calls the error handler of MPI_COMM_WORLD for a failure in
 * MPI_Test, but that of the communicator for one in a blocking receive.
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

void sluice_mpi_look_at_all(void)
{
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next)
        sluice_mpi_handle_look(one);
    sluice_mpi_drained_all();
}
