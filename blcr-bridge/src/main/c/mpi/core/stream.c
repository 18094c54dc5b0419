#include "stream.h"

#include "layer.h"
#include "wrappers/real.h"

bool sluice_mpi_is_truncated(int error)
{
    int class = MPI_ERR_OTHER;
    real.Error_class(error, &class);
    return class == MPI_ERR_TRUNCATE;
}

bool sluice_mpi_is_overtaken(const struct sluice_mpi_comm *comm, int source, int tag,
                             int64_t posted)
{
    for (size_t at = 0; at < sluice_mpi.got.capacity; at++) {
        const struct sluice_mpi_count *count = &sluice_mpi.got.entries[at];
        if (count->posted > posted && count->stream.communicator == comm->id
            && (source == MPI_ANY_SOURCE || comm->world[source] == count->stream.source)
            && (tag == MPI_ANY_TAG || tag == count->stream.tag)) {
            return true;
        }
    }
    return false;
}
