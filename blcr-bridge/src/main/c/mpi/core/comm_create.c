/*
 * MPI_Comm_create_group, and the first ranks of both groups in MPI_Intercomm_create. Open MPI sends
 * messages for them on the program's communicator and with its tag, as if the program sent them. A
 * rank at a spot would take such messages for some under way, and the others would wait for ever.
 * So the messages are sent on the layer's own communicator, which has all ranks.
 */
#include "calls.h"
#include "control.h"
#include "layer.h"
#include "wrappers/real.h"

#ifdef OPEN_MPI

/* The tags, besides that of control.c. */
#define GROUP_TAG 2
#define BRIDGE_TAG 3

static bool has_all_of(MPI_Comm comm, MPI_Group group)
{
    MPI_Group all;
    MPI_Group both;
    int size;
    int found;
    if (group == MPI_GROUP_NULL || real.Comm_group(comm, &all) != MPI_SUCCESS)
        return false;
    real.Group_intersection(all, group, &both);
    real.Group_size(group, &size);
    real.Group_size(both, &found);
    real.Group_free(&all);
    real.Group_free(&both);
    return found == size;
}

static void inherit_errhandler(MPI_Comm of, MPI_Comm made)
{
    MPI_Errhandler handler;
    if (made == MPI_COMM_NULL || real.Comm_get_errhandler(of, &handler) != MPI_SUCCESS)
        return;
    real.Comm_set_errhandler(made, handler);
    real.Errhandler_free(&handler);
}

int call_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    const struct sluice_mpi_comm *known = sluice_mpi_comm_find(comm);
    if (known == NULL || known->inter || tag < 0 || !has_all_of(comm, group))
        return real.Comm_create_group(comm, group, tag, made);
    const int result = real.Comm_create_group(sluice_mpi.control, group, GROUP_TAG, made);
    if (result == MPI_SUCCESS)
        inherit_errhandler(comm, *made);
    return result;
}

/*
 * Returns whether this rank is the first of its group. Other ranks' communicator between the groups
 * is not used.
 */
static bool is_first(MPI_Comm local, int first)
{
    int rank;
    return local != MPI_COMM_NULL && real.Comm_rank(local, &rank) == MPI_SUCCESS && rank == first;
}

int call_intercomm_create(MPI_Comm local, int first, MPI_Comm bridge, int other, int tag,
                          MPI_Comm *made)
{
    const struct sluice_mpi_comm *known =
        is_first(local, first) ? sluice_mpi_comm_find(bridge) : NULL;
    if (known == NULL || known->inter || tag < 0 || other < 0 || other >= known->size
        || known->world[other] < 0) {
        return real.Intercomm_create(local, first, bridge, other, tag, made);
    }
    return real.Intercomm_create(local, first, sluice_mpi.control, known->world[other], BRIDGE_TAG,
                                 made);
}

#else

int call_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    return real.Comm_create_group(comm, group, tag, made);
}

int call_intercomm_create(MPI_Comm local, int first, MPI_Comm bridge, int other, int tag,
                          MPI_Comm *made)
{
    return real.Intercomm_create(local, first, bridge, other, tag, made);
}

#endif
