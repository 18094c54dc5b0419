#include "drained.h"

#include <stdlib.h>

#include "handle.h"
#include "layer.h"
#include "protocol.h"
#include "stream.h"
#include "wrappers/data.h"
#include "wrappers/real.h"

static struct sluice_mpi_drained **end = &sluice_mpi.drained;

static struct sluice_mpi_drained *add(struct sluice_mpi_comm *comm, int source, int tag,
                                      int64_t bytes)
{
    struct sluice_mpi_drained *one = calloc(1, sizeof *one);
    if (one == NULL || (one->data = malloc(bytes + 1)) == NULL)
        sluice_mpi_abort("no memory for a message of %lld bytes", (long long)bytes);
    one->comm = comm;
    one->source = source;
    one->tag = tag;
    one->bytes = bytes;
    one->real = MPI_REQUEST_NULL;
    *end = one;
    end = &one->next;
    return one;
}

struct sluice_mpi_drained *sluice_mpi_drained_again(struct sluice_mpi_comm *comm, int source,
                                                    int tag, int64_t bytes)
{
    return add(comm, source, tag, bytes);
}

struct sluice_mpi_drained *sluice_mpi_drain(struct sluice_mpi_comm *comm, const MPI_Status *found)
{
    const int64_t bytes = sluice_mpi_bytes_of(found);
    int count;
    MPI_Datatype type = sluice_mpi_bytes_type(bytes, &count);
    struct sluice_mpi_drained *one = add(comm, found->MPI_SOURCE, found->MPI_TAG, bytes);
    one->posted = ++sluice_mpi.posted;
    if (real.Irecv(one->data, count, type, one->source, one->tag, comm->handle, &one->real)
        != MPI_SUCCESS) {
        sluice_mpi_abort("cannot receive a message of rank %d that is under way", one->source);
    }
    sluice_mpi_bytes_type_end(type);
    return one;
}

struct sluice_mpi_drained *sluice_mpi_drained_find(const struct sluice_mpi_comm *comm, int source,
                                                   int tag)
{
    for (struct sluice_mpi_drained *one = sluice_mpi.drained; one != NULL; one = one->next) {
        if (one->comm == comm && (source == MPI_ANY_SOURCE || source == one->source)
            && (tag == MPI_ANY_TAG || tag == one->tag)) {
            return one;
        }
    }
    return NULL;
}

void sluice_mpi_drained_status(const struct sluice_mpi_drained *one, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    sluice_mpi_empty_status(status);
    status->MPI_SOURCE = one->source;
    status->MPI_TAG = one->tag;
    sluice_mpi_set_bytes(status, one->bytes);
}

void sluice_mpi_drained_take(struct sluice_mpi_drained *one)
{
    struct sluice_mpi_drained **at = &sluice_mpi.drained;
    while (*at != one)
        at = &(*at)->next;
    *at = one->next;
    if (one->next == NULL)
        end = at;
    one->next = NULL;
}

bool sluice_mpi_drained_look(struct sluice_mpi_drained *one)
{
    if (one->real == MPI_REQUEST_NULL)
        return true;
    int flag = 0;
    MPI_Status status;
    if (real.Test(&one->real, &flag, &status) != MPI_SUCCESS)
        sluice_mpi_abort("cannot receive a message of rank %d that is under way", one->source);
    if (flag) {
        sluice_mpi_received(one->comm, &status, one->posted);
        sluice_mpi.protocol->calls->drained(one, &status);
    }
    return flag;
}

int sluice_mpi_drained_give(struct sluice_mpi_drained *one, void *buffer, int count,
                            MPI_Datatype type, MPI_Status *status)
{
    sluice_mpi_drained_status(one, status);
    int result = MPI_SUCCESS;
    if (one->bytes > sluice_mpi_packed(count, type)) {
        result = MPI_ERR_TRUNCATE;
        real.Comm_call_errhandler(one->comm->handle, result);
    } else {
        result = sluice_mpi_unpack(one->data, one->bytes, buffer, count, type);
    }
    free(one->data);
    free(one);
    return result;
}

int64_t sluice_mpi_drained_count(void)
{
    int64_t count = 0;
    for (struct sluice_mpi_drained *one = sluice_mpi.drained; one != NULL; one = one->next)
        count++;
    return count;
}

bool sluice_mpi_drained_all(void)
{
    bool all = true;
    for (struct sluice_mpi_drained *one = sluice_mpi.drained; one != NULL; one = one->next)
        all &= sluice_mpi_drained_look(one);
    return all;
}

static struct sluice_mpi_count *count_in(struct sluice_mpi_counts *counts,
                                         const struct sluice_mpi_drained *one)
{
    return sluice_mpi_counts_of(counts, one->comm->id, one->comm->world[one->source],
                                sluice_mpi.rank, one->tag);
}

void sluice_mpi_drained_number(void)
{
    struct sluice_mpi_counts behind = {0}; /* messages of a stream still to be numbered */
    for (const struct sluice_mpi_drained *one = sluice_mpi.drained; one != NULL; one = one->next)
        count_in(&behind, one)->count++;
    for (struct sluice_mpi_drained *one = sluice_mpi.drained; one != NULL; one = one->next)
        one->number = count_in(&sluice_mpi.got, one)->count - --count_in(&behind, one)->count;
    sluice_mpi_counts_clear(&behind);
}
