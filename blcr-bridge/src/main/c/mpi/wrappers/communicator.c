#include "communicator.h"

#include <stdlib.h>
#include <string.h>

#include "real.h"

static struct sluice_mpi_comm none;

struct sluice_mpi_comm *sluice_mpi_last_comm = &none;
struct sluice_mpi_comm *sluice_mpi_comms;
int sluice_mpi_comms_behind;

static bool late;
static int world_rank;
static int64_t named; /* count of the communicators that this rank has named */

/*
 * The size of the tables. A program may have as many communicators as its library allows: 65,535 in
 * Open MPI 4.1.
 */
#define HASHES_LOG 12
static struct sluice_mpi_comm *hashed[1 << HASHES_LOG];
static struct sluice_mpi_comm *hashed_ids[1 << HASHES_LOG];

static uint64_t hash(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASHES_LOG);
}

/* Returns the place in the table of a handle's communicator, or the table's end. */
static struct sluice_mpi_comm **place(MPI_Comm handle)
{
    struct sluice_mpi_comm **at = &hashed[hash((uint64_t)(uintptr_t)handle)];
    while (*at != NULL && (*at)->handle != handle)
        at = &(*at)->alike;
    return at;
}

static struct sluice_mpi_comm **place_of_id(int64_t id)
{
    struct sluice_mpi_comm **at = &hashed_ids[hash((uint64_t)id)];
    while (*at != NULL && (*at)->id != id)
        at = &(*at)->alike_id;
    return at;
}

struct sluice_mpi_comm *sluice_mpi_comm_find(MPI_Comm handle)
{
    struct sluice_mpi_comm *found = handle == MPI_COMM_NULL ? NULL : *place(handle);
    if (found != NULL)
        sluice_mpi_last_comm = found;
    return found;
}

struct sluice_mpi_comm *sluice_mpi_comm_by_id(int64_t id)
{
    return *place_of_id(id);
}

int sluice_mpi_rank_in(const struct sluice_mpi_comm *comm, int world)
{
    if (world < comm->size && comm->world[world] == world)
        return world;
    for (int rank = 0; rank < comm->size; rank++)
        if (comm->world[rank] == world)
            return rank;
    return -1;
}

/* Finds the ranks in the world of the members that messages name. */
static void learn_world(struct sluice_mpi_comm *comm)
{
    MPI_Group group;
    MPI_Group world;
    if (comm->inter)
        real.Comm_remote_group(comm->handle, &group);
    else
        real.Comm_group(comm->handle, &group);
    real.Comm_group(MPI_COMM_WORLD, &world);
    int *ranks = malloc((comm->size + 1) * sizeof *ranks);
    comm->world = malloc((comm->size + 1) * sizeof *comm->world);
    if (ranks == NULL || comm->world == NULL)
        sluice_mpi_abort("no memory for a communicator of %d ranks", comm->size);
    for (int rank = 0; rank < comm->size; rank++)
        ranks[rank] = rank;
    real.Group_translate_ranks(group, comm->size, ranks, world, comm->world);
    free(ranks);
    real.Group_free(&group);
    real.Group_free(&world);
}

/* Makes a name: this rank, and the count of its names. No other communicator has the same. */
static int64_t name(void)
{
    return ((int64_t)world_rank + 1) << 32 | ++named;
}

/*
 * Agrees on the greater of the names that the two groups' first ranks made. Each group tells the
 * other.
 */
static int64_t agree_between_groups(MPI_Comm handle, int rank)
{
    const int64_t mine = rank == 0 ? name() : 0;
    int64_t theirs;
    int64_t ours;
    real.Allreduce(&mine, &theirs, 1, MPI_INT64_T, MPI_MAX, handle);
    real.Allreduce(&theirs, &ours, 1, MPI_INT64_T, MPI_MAX, handle);
    return ours > theirs ? ours : theirs;
}

static int64_t agree(const struct sluice_mpi_comm *comm)
{
    if (comm->handle == MPI_COMM_WORLD)
        return 0;
    if (comm->handle == MPI_COMM_SELF)
        return -1 - world_rank;
    if (comm->inter)
        return agree_between_groups(comm->handle, comm->rank);
    int64_t id = comm->rank == 0 ? name() : 0;
    real.Bcast(&id, 1, MPI_INT64_T, 0, comm->handle);
    return id;
}

static void add(MPI_Comm handle)
{
    struct sluice_mpi_comm *comm = calloc(1, sizeof *comm);
    if (comm == NULL)
        sluice_mpi_abort("no memory for another communicator");
    int inter;
    real.Comm_test_inter(handle, &inter);
    real.Comm_rank(handle, &comm->rank);
    if (inter)
        real.Comm_remote_size(handle, &comm->size);
    else
        real.Comm_size(handle, &comm->size);
    comm->handle = handle;
    comm->inter = inter;
    comm->early = !late;
    learn_world(comm);
    comm->id = agree(comm);
    sluice_mpi_comm_done(comm);
}

/*
 * Makes the name of a copy. All members begin the copies of a communicator in the same order, so
 * each knows the name by itself. The name is 62 bits of a hash, apart from the names that are told.
 * A message on `of` would come among the program's collectives.
 */
static int64_t name_of_copy(struct sluice_mpi_comm *of)
{
    uint64_t hash = (uint64_t)of->id * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)++of->copies;
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    hash ^= hash >> 31;
    return (int64_t)(hash >> 2 | UINT64_C(1) << 62);
}

struct sluice_mpi_comm *sluice_mpi_comm_begun(MPI_Comm handle, struct sluice_mpi_comm *of)
{
    struct sluice_mpi_comm *comm = malloc(sizeof *comm);
    int *world = malloc((of->size + 1) * sizeof *world);
    if (comm == NULL || world == NULL)
        sluice_mpi_abort("no memory for a communicator of %d ranks", of->size);
    memcpy(world, of->world, of->size * sizeof *world);
    *comm = (struct sluice_mpi_comm){.handle = handle,
                                     .id = name_of_copy(of),
                                     .rank = of->rank,
                                     .size = of->size,
                                     .world = world,
                                     .inter = of->inter,
                                     .early = !late};
    return comm;
}

void sluice_mpi_comm_done(struct sluice_mpi_comm *comm)
{
    struct sluice_mpi_comm **by_handle = &hashed[hash((uint64_t)(uintptr_t)comm->handle)];
    comm->alike = *by_handle;
    *by_handle = comm;
    struct sluice_mpi_comm **by_id = &hashed_ids[hash((uint64_t)comm->id)];
    comm->alike_id = *by_id;
    *by_id = comm;
    comm->at = &sluice_mpi_comms;
    comm->next = sluice_mpi_comms;
    if (comm->next != NULL)
        comm->next->at = &comm->next;
    sluice_mpi_comms = comm;
    sluice_mpi_comms_behind += !comm->early;
}

void sluice_mpi_comms_begin(void)
{
    none.handle = MPI_COMM_NULL;
    real.Comm_rank(MPI_COMM_WORLD, &world_rank);
    add(MPI_COMM_SELF);
    add(MPI_COMM_WORLD);
    sluice_mpi_last_comm = sluice_mpi_comms;
}

void sluice_mpi_comms_late(void)
{
    late = true;
}

bool sluice_mpi_comms_are_late(void)
{
    return late;
}

void sluice_mpi_comm_made(MPI_Comm handle)
{
    add(handle);
}

struct sluice_mpi_comm *sluice_mpi_comm_freed(MPI_Comm handle)
{
    struct sluice_mpi_comm **by_handle = place(handle);
    struct sluice_mpi_comm *gone = *by_handle;
    if (gone == NULL)
        return NULL;
    *by_handle = gone->alike;
    struct sluice_mpi_comm **by_id = place_of_id(gone->id);
    *by_id = gone->alike_id;
    *gone->at = gone->next;
    if (gone->next != NULL)
        gone->next->at = gone->at;
    if (sluice_mpi_last_comm == gone)
        sluice_mpi_last_comm = &none;
    sluice_mpi_comms_behind -= !gone->early;
    gone->early &= late;
    return gone;
}

void sluice_mpi_comm_end(struct sluice_mpi_comm *comm)
{
    free(comm->world);
    free(comm);
}
