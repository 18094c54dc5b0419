/* C3 at one rank. */
#include "c3.h"

#include "protocol.h"

bool sluice_mpi_c3_sends(const struct sluice_mpi_comm *comm, int dest, int tag, int64_t number,
                         const void *buf, int count, MPI_Datatype type)
{
    (void)comm, (void)dest, (void)tag, (void)number, (void)buf, (void)count, (void)type;
    return false;
}

bool sluice_mpi_c3_posts(struct sluice_mpi_handle *handle)
{
    (void)handle;
    return false;
}

void sluice_mpi_c3_completes(struct sluice_mpi_handle *const *handles, int count)
{
    (void)handles, (void)count;
}

bool sluice_mpi_c3_answers(int count, struct sluice_mpi_handle **handles, enum sluice_mpi_how how)
{
    (void)count, (void)handles, (void)how;
    return false;
}

int sluice_mpi_c3_probes(struct sluice_mpi_comm *comm, int source, int tag, int *flag,
                         MPI_Status *status)
{
    (void)comm, (void)source, (void)tag, (void)flag, (void)status;
    return -1;
}

void sluice_mpi_c3_probed(struct sluice_mpi_comm *comm, const MPI_Status *found)
{
    (void)comm, (void)found;
}

bool sluice_mpi_c3_enters(struct sluice_mpi_comm *comm,
                          const struct sluice_mpi_collective *collective, int64_t number,
                          struct sluice_mpi_handle *handle)
{
    (void)comm, (void)collective, (void)number, (void)handle;
    return false;
}

void sluice_mpi_c3_left(struct sluice_mpi_comm *comm,
                        const struct sluice_mpi_collective *collective)
{
    (void)comm, (void)collective;
}

void sluice_mpi_c3_makes(void)
{
}
