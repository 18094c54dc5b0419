/* Collectives, and other calls that all members of a communicator make. */
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"
#include "layer.h"
#include "message.h"
#include "progress.h"
#include "protocol.h"
#include "rehearsal.h"
#include "wrappers/data.h"
#include "wrappers/request.h"

/*
 * Gives the wave up after a refused collective. A recovery would take the next collective for it,
 * since both have the same number.
 */
static int refused(int error)
{
    sluice_mpi.protocol->cannot("MPI refuses a collective while what crosses the line is recorded");
    return error;
}

static int block(const struct sluice_mpi_collective *collective, struct sluice_mpi_comm *comm)
{
    if (sluice_mpi.busy
        && sluice_mpi.protocol->calls->enters(comm, collective, comm->collectives + 1, NULL)) {
        comm->collectives++;
        return MPI_SUCCESS;
    }
    const int result = collective->forward(collective, NULL);
    if (result != MPI_SUCCESS)
        return refused(result);
    comm->collectives++;
    if (sluice_mpi.busy)
        sluice_mpi.protocol->calls->left(comm, collective);
    return MPI_SUCCESS;
}

/* Keeps the places for the results of a collective that does not block. */
static void keep_results(struct sluice_mpi_handle *handle,
                         const struct sluice_mpi_collective *collective)
{
    const int count = sluice_mpi_outputs(collective, NULL, 0);
    handle->pieces = malloc((count + 1) * sizeof *handle->pieces);
    if (handle->pieces == NULL)
        sluice_mpi_abort("no memory for the results of %s", collective->name);
    handle->results = sluice_mpi_outputs(collective, handle->pieces, count);
}

int call_collective(const struct sluice_mpi_collective *collective, MPI_Request *request)
{
    sluice_mpi_poll_between();
    struct sluice_mpi_comm *comm = sluice_mpi_comm_of(collective->comm);
    if (comm == NULL)
        return collective->forward(collective, request);
    sluice_mpi_rehearsal_enters(comm, collective);
    if (request == NULL)
        return block(collective, comm);
    struct sluice_mpi_handle *handle = sluice_mpi_handle(SLUICE_MPI_COLLECTIVE);
    handle->comm = comm;
    handle->collective = comm->collectives + 1;
    keep_results(handle, collective);
    int result = MPI_SUCCESS;
    if (!sluice_mpi.busy
        || !sluice_mpi.protocol->calls->enters(comm, collective, handle->collective, handle)) {
        result = collective->forward(collective, &handle->real);
    }
    if (result != MPI_SUCCESS) {
        sluice_mpi_handle_end(handle);
        return refused(result);
    }
    comm->collectives++;
    *request = handle->request;
    return MPI_SUCCESS;
}

/* Gives the wave up: in a recovery some members would make the call and others not. */
void call_together(const char *function)
{
    static char why[100];
    snprintf(why, sizeof why, "%s is called while what crosses the line is recorded", function);
    sluice_mpi.protocol->cannot(why);
}

void call_begun(struct sluice_mpi_comm *comm, MPI_Request *request)
{
    struct sluice_mpi_handle *handle = sluice_mpi_handle(SLUICE_MPI_COMMUNICATOR);
    handle->comm = comm;
    handle->real = *request;
    *request = handle->request;
    sluice_mpi.copying++;
}

/*
 * Gives the wave up. A restart does not make a communicator that is made behind the first spot, so
 * there is no wave while it is there.
 */
void call_making(MPI_Comm parent)
{
    sluice_mpi_poll_between();
    struct sluice_mpi_comm *comm = sluice_mpi_comm_of(parent);
    if (comm != NULL)
        comm->collectives++;
    sluice_mpi.protocol->cannot("a communicator is made while what crosses the line is recorded");
}
