/* A send and a receive at once. Where no wave is under way, the library does both. */
#include <stdlib.h>

#include "calls.h"
#include "layer.h"
#include "message.h"
#include "progress.h"
#include "stream.h"
#include "wrappers/data.h"

static int exchange_while_busy(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                               int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                               int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request requests[2];
    MPI_Status own[2];
    int result = call_irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, &requests[0]);
    if (result != MPI_SUCCESS)
        return result;
    result = call_isend(SLUICE_MPI_STANDARD, sendbuf, sendcount, sendtype, dest, sendtag, comm,
                        &requests[1]);
    if (result != MPI_SUCCESS) {
        call_cancel(&requests[0]);
        call_request_free(&requests[0]);
        return result;
    }
    sluice_mpi_handle_of(requests[0])->blocks = true;
    result = call_complete(2, requests, SLUICE_MPI_WAIT_ALL, NULL, NULL, NULL, own);
    if (result == MPI_ERR_IN_STATUS)
        result = own[0].MPI_ERROR != MPI_SUCCESS ? own[0].MPI_ERROR : own[1].MPI_ERROR;
    sluice_mpi_tell_status(status, &own[0]);
    return result;
}

/* Counts both, which the library has done. */
static void count_both(struct sluice_mpi_comm *sends, int dest, int sendtag,
                       struct sluice_mpi_comm *receives, const MPI_Status *status)
{
    if (sends != NULL)
        sluice_mpi_sends(sends, dest, sendtag);
    if (receives != NULL && status->MPI_SOURCE >= 0)
        sluice_mpi_received(receives, status, ++sluice_mpi.posted);
}

int call_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Status *status)
{
    sluice_mpi_poll();
    if (sluice_mpi.busy) {
        return exchange_while_busy(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                                   recvtype, source, recvtag, comm, status);
    }
    MPI_Status own;
    MPI_Status *asked = status == MPI_STATUS_IGNORE ? &own : status;
    struct sluice_mpi_comm *sends = sluice_mpi_sends_of(sendcount, sendtype, dest, sendtag, comm);
    struct sluice_mpi_comm *receives =
        sluice_mpi_receives_of(recvcount, recvtype, source, recvtag, comm);
    const int result = real.Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                                     recvcount, recvtype, source, recvtag, comm, asked);
    if (sluice_mpi_has_taken(result))
        count_both(sends, dest, sendtag, receives, asked);
    return result;
}

static int replace_while_busy(void *buf, int count, MPI_Datatype type, int dest, int sendtag,
                              int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    const int64_t bytes = sluice_mpi_packed(count, type);
    void *copy = malloc(bytes + 1);
    if (copy == NULL)
        return MPI_ERR_NO_MEM;
    int result = sluice_mpi_pack(buf, count, type, copy);
    if (result == MPI_SUCCESS) {
        int whole;
        MPI_Datatype whole_type = sluice_mpi_bytes_type(bytes, &whole);
        result = call_sendrecv(copy, whole, whole_type, dest, sendtag, buf, count, type, source,
                               recvtag, comm, status);
        sluice_mpi_bytes_type_end(whole_type);
    }
    free(copy);
    return result;
}

int call_sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    sluice_mpi_poll();
    if (sluice_mpi.busy && sluice_mpi_comm_of(comm) != NULL && count >= 0
        && type != MPI_DATATYPE_NULL) {
        return replace_while_busy(buf, count, type, dest, sendtag, source, recvtag, comm, status);
    }
    MPI_Status own;
    MPI_Status *asked = status == MPI_STATUS_IGNORE ? &own : status;
    struct sluice_mpi_comm *sends = sluice_mpi_sends_of(count, type, dest, sendtag, comm);
    struct sluice_mpi_comm *receives = sluice_mpi_receives_of(count, type, source, recvtag, comm);
    const int result =
        real.Sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, asked);
    if (sluice_mpi_has_taken(result))
        count_both(sends, dest, sendtag, receives, asked);
    return result;
}
