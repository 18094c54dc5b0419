/*
 * Communicators that the program has freed. MPI lets requests on them come to their end. A restart
 * has no such communicator, so no line is taken before that.
 */
#include "freed.h"

#include "calls.h"
#include "drained.h"
#include "handle.h"
#include "layer.h"
#include "stream.h"

static struct sluice_mpi_comm *gone;
static struct sluice_mpi_comm *made_again; /* made by a restart too: counts stay, nothing is open */

static bool is_used(const struct sluice_mpi_comm *comm)
{
    for (const struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next)
        if (one->comm == comm)
            return true;
    for (const struct sluice_mpi_drained *one = sluice_mpi.drained; one != NULL; one = one->next)
        if (one->comm == comm)
            return true;
    return false;
}

/*
 * Ends a freed communicator, and its counts if it was made behind the first spot. A line is taken
 * only where no such communicator is left, so no member needs the counts at a line. A later
 * communicator may have the same id. Before the first spot counts are needed as sums.
 */
static void end(struct sluice_mpi_comm *comm)
{
    if (sluice_mpi_comms_are_late()) {
        sluice_mpi_counts_drop(&sluice_mpi.sent, comm->id);
        sluice_mpi_counts_drop(&sluice_mpi.got, comm->id);
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
    bool unused = true;
    for (struct sluice_mpi_comm **at = &gone; *at != NULL;) {
        struct sluice_mpi_comm *comm = *at;
        if (is_used(comm)) {
            unused = false;
            at = &comm->next;
            continue;
        }
        *at = comm->next;
        if (comm->early) {
            comm->next = made_again;
            made_again = comm;
        } else {
            end(comm);
        }
    }
    return unused;
}

static int64_t put_all(struct sluice_mpi_bytes *bytes, const struct sluice_mpi_comm *first)
{
    int64_t count = 0;
    for (const struct sluice_mpi_comm *comm = first; comm != NULL; comm = comm->next) {
        sluice_mpi_bytes_put_i64(bytes, comm->id);
        sluice_mpi_bytes_put_i64(bytes, comm->collectives);
        count++;
    }
    return count;
}

void sluice_mpi_put_collectives(struct sluice_mpi_bytes *bytes)
{
    struct sluice_mpi_bytes all = {0};
    const int64_t count =
        put_all(&all, sluice_mpi_comms) + put_all(&all, gone) + put_all(&all, made_again);
    sluice_mpi_bytes_put_i64(bytes, count);
    sluice_mpi_bytes_put(bytes, all.data, all.length);
    sluice_mpi_bytes_free(&all);
}
