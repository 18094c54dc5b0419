#include "request.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "real.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/*
 * The places below these have handles: of persistent requests, and of others. Place 0 stands for
 * none.
 */
static int32_t persistent_top = SLUICE_MPI_PERSISTENT;
static int32_t other_top = 1;

#ifdef OPEN_MPI

/* Indices of Open MPI's own requests begin with 0. */
#define INDICES 0x40000000

static size_t index_at;

int sluice_mpi_request_index(MPI_Request request)
{
    int index;
    memcpy(&index, (const char *)request + index_at, sizeof index);
    return index;
}

MPI_Request sluice_mpi_request_indexed(int index)
{
    const int slot = index - INDICES;
    return slot > 0 && slot < SLUICE_MPI_SLOTS && SLUICE_MPI_SLOT[slot].handle != NULL
        ? (MPI_Request)(SLUICE_MPI_SLOT + slot)
        : NULL;
}

/*
 * Finds the index in a request: the field that changes when the index is asked for the first time.
 */
static void find_index(void)
{
    unsigned char before[SLUICE_MPI_BEHIND];
    int byte;
    MPI_Request one;
    real.Recv_init(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_SELF, &one);
    memcpy(before, (const void *)one, sizeof before);
    const int index = real.Request_c2f(one);
    const unsigned char *after = (const unsigned char *)one;
    size_t found = 0;
    for (size_t at = sizeof(void *); at + sizeof index <= sizeof before; at += sizeof index) {
        if (memcmp(after + at, &index, sizeof index) == 0
            && memcmp(after + at, before + at, sizeof index) != 0) {
            found = found == 0 ? at : sizeof before;
        }
    }
    real.Request_free(&one);
    if (found == 0 || found == sizeof before) {
        sluice_mpi_abort("cannot tell where this Open MPI keeps the index of a request of Fortran: "
                         "sluice mpi is built for Open MPI %d.%d",
                         OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION);
    }
    index_at = found;
}

static void look_like_mpis(struct sluice_mpi_slot *slot)
{
    memcpy(slot->behind, (const void *)MPI_REQUEST_NULL, sizeof slot->behind);
    const int index = INDICES + (int)(slot - SLUICE_MPI_SLOT);
    memcpy(slot->behind + index_at, &index, sizeof index);
}

static MPI_Request request_of(struct sluice_mpi_slot *slot)
{
    return (MPI_Request)slot;
}

#else

static void find_index(void)
{
}

static void look_like_mpis(struct sluice_mpi_slot *slot)
{
    (void)slot;
}

static MPI_Request request_of(const struct sluice_mpi_slot *slot)
{
    return (MPI_Request)(SLUICE_MPI_FIRST + (int)(slot - SLUICE_MPI_SLOT));
}

#endif

void sluice_mpi_requests_begin(void)
{
    find_index();
    const void *table = mmap(
        SLUICE_MPI_SLOT, SLUICE_MPI_SLOTS * sizeof(struct sluice_mpi_slot), PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (table != SLUICE_MPI_SLOT) {
        sluice_mpi_abort("cannot map the table of requests at %#llx: %s; %s",
                         (unsigned long long)SLUICE_MPI_TABLE,
                         table == MAP_FAILED ? strerror(errno) : "an old kernel",
                         table == MAP_FAILED && errno == ENOMEM
                             ? "raise the limit of address space (ulimit -v)"
                             : "something else is there");
    }
}

MPI_Request sluice_mpi_request(void *handle, bool persistent)
{
    const int32_t first = persistent ? SLUICE_MPI_PERSISTENT : 1;
    const int32_t end = persistent ? SLUICE_MPI_SLOTS : SLUICE_MPI_PERSISTENT;
    int32_t *top = persistent ? &persistent_top : &other_top;
    if (*top == end) {
        sluice_mpi_abort("%d %srequests are open, and sluice mpi has room for no more; %s some",
                         end - first, persistent ? "persistent " : "",
                         persistent ? "free" : "complete");
    }
    struct sluice_mpi_slot *slot = SLUICE_MPI_SLOT + (*top)++;
    look_like_mpis(slot);
    slot->handle = handle;
    return request_of(slot);
}
