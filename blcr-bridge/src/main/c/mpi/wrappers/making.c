/*
 * Communicators that the program makes and frees. Open MPI and MPICH call the program's attribute
 * functions within MPI_Comm_dup and MPI_Comm_free, and these may make and free others. So the guard
 * is not set then.
 */
#include "wrapper.h"

void sluice_mpi_comm_making(MPI_Comm parent, bool guard)
{
    sluice_mpi_inside = 1;
    call_making(parent);
    sluice_mpi_inside = guard;
}

/*
 * Adds a new communicator. After a call that is not carried, its members may include processes
 * without the layer.
 */
int sluice_mpi_comm_is_made(int result, MPI_Comm *made)
{
    sluice_mpi_inside = 1;
    if (!sluice_mpi_lets && result == MPI_SUCCESS && *made != MPI_COMM_NULL)
        sluice_mpi_comm_made(*made);
    sluice_mpi_inside = 0;
    return result;
}

int sluice_mpi_comm_is_begun(int result, MPI_Comm parent, const MPI_Comm *begun,
                             MPI_Request *request)
{
    sluice_mpi_inside = 1;
    if (!sluice_mpi_lets && result == MPI_SUCCESS)
        call_begun(sluice_mpi_comm_begun(*begun, sluice_mpi_comm_of(parent)), request);
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
