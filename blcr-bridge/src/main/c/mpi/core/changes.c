/*
 * A hash also sees what network cards and other processes write past the page tables, where the kernel's dirty bits see
 * nothing. So no wrapper has to say which buffers MPI fills.
 *
 * Hashes of the last committed image are kept until the next one is committed. An unchanged block is written anew by
 * its turn, which comes to an eighth of all blocks in each wave. So no wave has to write all, and a restart needs bytes of
 * eight waves at most.
 *
 * `auto` compares two images. It goes on if what needed no write would have taken longer to write than all took to hash.
 * Otherwise it takes no hashes for 16 waves.
 */
#include "changes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hash.h"
#include "layer.h"
#include "protocol.h"
#include "regions.h"
#include "wrappers/real.h"

#define REST 16     /* waves */
#define TOGETHER 64 /* blocks whose turns come together */

/* Filled by the process that writes the image. */
struct image {
    int64_t at; /* the next block */
    int64_t written;
    int64_t reused;
    int64_t write_nanos;
    int64_t hash_nanos;
    bool based;
    struct sluice_mpi_hash hashes[];
};

struct extent {
    int id;
    size_t bytes;
};

static enum { FULL, INCREMENTAL, AUTO } mode;
static struct image *images[2]; /* in shared memory; NULL while nothing is known */
static size_t length;           /* of each, bytes */
static int next;                /* the one that the next image's hashes go to */
static int64_t base = -1;       /* the wave of the other one; -1: none */
static int64_t expected = -1;   /* the wave of `next`; -1: it takes no hashes */
static int64_t turn;            /* images since one that had all blocks */
static int rest;                /* waves without hashes */
static struct extent *extents;  /* of the regions that the hashes are of */
static int extent_count;

void sluice_mpi_changes_begin(void)
{
    const char *name = getenv("SLUICE_MPI_WRITE");
    mode = name == NULL || strcmp(name, "auto") == 0 ? AUTO
        : strcmp(name, "incremental") == 0           ? INCREMENTAL
                                                     : FULL;
}

int64_t sluice_mpi_changes_blocks(size_t bytes)
{
    return bytes < SLUICE_MPI_HASHED    ? 0
        : bytes < SLUICE_MPI_HASH_BLOCK ? 1
                                        : bytes / SLUICE_MPI_HASH_BLOCK;
}

/* ---- room ---- */

static bool fits(void)
{
    bool same = images[next] != NULL && extent_count == sluice_mpi.region_count;
    for (int i = 0; i < extent_count && same; i++) {
        same = extents[i].id == sluice_mpi.regions[i].id
            && extents[i].bytes == sluice_mpi.regions[i].bytes;
    }
    return same;
}

static void free_room(void)
{
    for (int i = 0; i < 2; i++) {
        if (images[i] != NULL)
            munmap(images[i], length);
        images[i] = NULL;
    }
    free(extents);
    extents = NULL;
    extent_count = 0;
    base = -1;
}

static struct image *new_image(void)
{
    void *room = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED ? room : NULL;
}

/* A child of a wave that was given up may live for a moment, and write to what it has. */
static bool replace_room(void)
{
    munmap(images[next], length);
    images[next] = new_image();
    return images[next] != NULL;
}

/* Other regions lie elsewhere in the image. False: there is no memory, and so no hashes. */
static bool make_room(void)
{
    free_room();
    int64_t blocks = 0;
    for (int i = 0; i < sluice_mpi.region_count; i++)
        blocks += sluice_mpi_changes_blocks(sluice_mpi.regions[i].bytes);
    length = sizeof(struct image) + blocks * sizeof(struct sluice_mpi_hash);
    extents = calloc(sluice_mpi.region_count + 1, sizeof *extents);
    images[0] = new_image();
    images[1] = new_image();
    if (extents == NULL || images[0] == NULL || images[1] == NULL) {
        free_room();
        return false;
    }
    extent_count = sluice_mpi.region_count;
    for (int i = 0; i < extent_count; i++)
        extents[i] = (struct extent){sluice_mpi.regions[i].id, sluice_mpi.regions[i].bytes};
    return true;
}

/* ---- one image ---- */

void sluice_mpi_changes_expect(int64_t wave)
{
    const bool left = expected >= 0;
    expected = -1;
    if (mode == FULL || (mode == AUTO && rest > 0 && rest-- > 0))
        return;
    if (fits() ? left && !replace_room() : !make_room()) {
        free_room();
        return;
    }
    expected = wave;
    memset(images[next], 0, sizeof *images[next]);
    images[next]->based = base >= 0;
}

bool sluice_mpi_changes_hashes(void)
{
    return expected >= 0;
}

int64_t sluice_mpi_changes_base(void)
{
    return expected >= 0 && images[next]->based ? base : -1;
}

void sluice_mpi_changes_without_base(void)
{
    images[next]->based = false;
}

bool sluice_mpi_changes_look(const void *block, size_t bytes)
{
    struct image *image = images[next];
    const int64_t number = image->at++;
    const struct sluice_mpi_hash hash = sluice_mpi_hash(block, bytes);
    image->hashes[number] = hash;
    const struct sluice_mpi_hash *before = &images[1 - next]->hashes[number];
    return !image->based || hash.low != before->low || hash.high != before->high
        || (number / TOGETHER + turn) % SLUICE_MPI_HOLDERS == 0;
}

void sluice_mpi_changes_zero(size_t bytes)
{
    static const unsigned char zeros[2 * SLUICE_MPI_HASH_BLOCK];
    static struct sluice_mpi_hash whole;
    if (whole.low == 0 && whole.high == 0)
        whole = sluice_mpi_hash(zeros, SLUICE_MPI_HASH_BLOCK);
    struct image *image = images[next];
    image->hashes[image->at++] =
        bytes == SLUICE_MPI_HASH_BLOCK ? whole : sluice_mpi_hash(zeros, bytes);
}

int64_t sluice_mpi_changes_next(void)
{
    return images[next]->at;
}

/* What is written may be from before or behind the change, so its hash is to be that of nothing. */
void sluice_mpi_changes_check(int64_t number, const void *block, size_t bytes)
{
    struct sluice_mpi_hash *hash = &images[next]->hashes[number];
    const struct sluice_mpi_hash now = sluice_mpi_hash(block, bytes);
    if (hash->low != now.low || hash->high != now.high)
        *hash = (struct sluice_mpi_hash){~now.low, ~now.high};
}

void sluice_mpi_changes_wrote(int64_t written, int64_t reused, int64_t write_nanos,
                              int64_t hash_nanos)
{
    images[next]->written = written;
    images[next]->reused = reused;
    images[next]->write_nanos = write_nanos;
    images[next]->hash_nanos = hash_nanos;
}

int64_t sluice_mpi_changes_reused(void)
{
    return expected >= 0 ? images[next]->reused : 0;
}

/* ---- behind it ---- */

/* Whether to write what was the same would have taken longer than to find that out. */
static bool pays(const struct image *image)
{
    return (double)image->reused * (double)image->write_nanos
        > (double)image->hash_nanos * (double)image->written;
}

void sluice_mpi_changes_decide(int64_t wave, bool commit)
{
    if (!commit || wave == base) /* known already */
        return;
    if (wave != expected) {
        base = -1; /* its hashes are not known, and the ones before are of no newest wave */
        return;
    }
    const struct image *image = images[next];
    turn = image->based ? turn + 1 : 1;
    base = wave;
    if (mode == AUTO && image->based && !pays(image)) {
        rest = REST;
        base = -1;
    }
    next = 1 - next;
    expected = -1;
}
