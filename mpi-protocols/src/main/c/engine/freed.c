/*
 * Communicators that the program has freed. MPI lets requests on them come to their end. A restart has no such
 * communicator, so no line is taken before that.
 */
#include "freed.h"

#include "calls.h"
#include "drained.h"
#include "handle.h"
#include "stream.h"

static struct sluice_mpi_comm *gone; /* that something has still */

static bool is_used(const struct sluice_mpi_comm *comm)
{
    for (const struct sluice_mpi_handle *one = sluice_mpi_handles; one != NULL; one = one->next)
        if (one->comm == comm)
            return true;
    for (const struct sluice_mpi_drained *one = sluice_mpi_drained; one != NULL; one = one->next)
        if (one->comm == comm)
            return true;
    return false;
}

/*
 * A line is taken only where no communicator is left that was made behind the first spot. So its counts are of no use at
 * any line, at no member. One that is made later may have its id.
 */
static void end(struct sluice_mpi_comm *comm)
{
    if (!comm->early) {
        sluice_mpi_counts_drop(&sluice_mpi_sent, comm->id);
        sluice_mpi_counts_drop(&sluice_mpi_got, comm->id);
    }
    sluice_mpi_comm_end(comm);
}

void call_comm_freed(struct sluice_mpi_comm *comm)
{
    comm->next = gone;
    gone = comm;
    sluice_mpi_freed_end();
}

bool sluice_mpi_freed_end(void)
{
    for (struct sluice_mpi_comm **at = &gone; *at != NULL;) {
        struct sluice_mpi_comm *comm = *at;
        if (is_used(comm)) {
            at = &comm->next;
        } else {
            *at = comm->next;
            end(comm);
        }
    }
    return gone == NULL;
}
