/* The program's calls under a protocol that neither records nor repeats them. */
#include "message.h"
#include "protocol.h"

static bool sends(const struct sluice_mpi_comm *comm, int dest, int tag, int64_t number,
                  const void *buf, int count, MPI_Datatype type)
{
    (void)comm, (void)dest, (void)tag, (void)number, (void)buf, (void)count, (void)type;
    return false;
}

static int posts(struct sluice_mpi_handle *handle)
{
    return sluice_mpi_post(handle, handle->peer, handle->tag);
}

static void asks(const struct sluice_mpi_handle *handle, int source, int tag)
{
    (void)handle, (void)source, (void)tag;
}

static void ended(const struct sluice_mpi_handle *handle)
{
    (void)handle;
}

static void drained(const struct sluice_mpi_drained *one, const MPI_Status *status)
{
    (void)one, (void)status;
}

static void gives(const struct sluice_mpi_drained *one, const struct sluice_mpi_handle *handle)
{
    (void)one, (void)handle;
}

static void completes(struct sluice_mpi_handle *const *handles, int count)
{
    (void)handles, (void)count;
}

static bool answers(int count, struct sluice_mpi_handle **handles, enum sluice_mpi_how how)
{
    (void)count, (void)handles, (void)how;
    return false;
}

static int probes(struct sluice_mpi_comm *comm, bool waits, int *flag, MPI_Status *status)
{
    (void)comm, (void)waits, (void)flag, (void)status;
    return -1;
}

static void probed(struct sluice_mpi_comm *comm, const MPI_Status *found)
{
    (void)comm, (void)found;
}

static bool enters(struct sluice_mpi_comm *comm, const struct sluice_mpi_collective *collective,
                   int64_t number, struct sluice_mpi_handle *handle)
{
    (void)comm, (void)collective, (void)number, (void)handle;
    return false;
}

static void left(struct sluice_mpi_comm *comm, const struct sluice_mpi_collective *collective)
{
    (void)comm, (void)collective;
}

const struct sluice_mpi_calls sluice_mpi_plain_calls = {
    .sends = sends,
    .posts = posts,
    .asks = asks,
    .ended = ended,
    .drained = drained,
    .gives = gives,
    .completes = completes,
    .answers = answers,
    .probes = probes,
    .probed = probed,
    .enters = enters,
    .left = left,
};
