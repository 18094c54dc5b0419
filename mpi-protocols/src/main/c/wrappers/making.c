/*
 * Communicators that the program makes and frees. Open MPI and MPICH call the program's attribute functions
 * within MPI_Comm_dup and MPI_Comm_free, and these may make and free others: so the guard is not set then.
 */
#include "wrapper.h"

void sluice_mpi_comm_making(MPI_Comm parent, bool guard)
{
    sluice_mpi_inside = 1;
    call_making(parent);
    sluice_mpi_inside = guard;
}

int sluice_mpi_comm_is_made(int result, MPI_Comm *made)
{
    sluice_mpi_inside = 1;
    if (result == MPI_SUCCESS && *made != MPI_COMM_NULL)
        sluice_mpi_comm_made(*made);
    sluice_mpi_inside = 0;
    return result;
}

int sluice_mpi_comm_is_made_later(int result, MPI_Comm *made, MPI_Request *request)
{
    result = sluice_mpi_comm_is_made(result, made);
    if (result != MPI_SUCCESS)
        return result;
    MPI_Status status;
    sluice_mpi_inside = 1;
    real.Recv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF,
              &status); /* what is known of no message */
    status.MPI_SOURCE = MPI_ANY_SOURCE;
    result = call_ready(&status, request);
    sluice_mpi_inside = 0;
    return result;
}

int sluice_mpi_comm_is_freed(int result, MPI_Comm freed)
{
    if (result == MPI_SUCCESS && sluice_mpi_on) {
        sluice_mpi_inside = 1;
        struct sluice_mpi_comm *gone = sluice_mpi_comm_freed(freed);
        if (gone != NULL)
            call_comm_freed(gone);
        sluice_mpi_inside = 0;
    }
    return result;
}
