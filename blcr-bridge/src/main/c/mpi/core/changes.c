/*
 * Changes by hashes. A hash also sees writes that bypass the page tables, by network cards and
 * other processes; the kernel's dirty bits do not. So no wrapper has to say which buffers MPI
 * fills.
 *
 * Hashes of the last committed image are kept until the next one is committed. In each wave, an
 * eighth of all blocks is written even if unchanged, by turns. So no wave has to write all, and a
 * restart needs bytes of eight waves at most.
 *
 * `auto` compares two images. Hashing continues if writing the unchanged blocks would have taken
 * longer than hashing all. Otherwise no hashes are taken for 16 waves.
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
#define TOGETHER 64 /* blocks written in the same turn */

/* The hashes of an image; filled by the process that writes the image. */
struct image {
    int64_t at; /* next block */
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
static struct image *images[2]; /* in shared memory; NULL while unknown */
static size_t length;           /* bytes of each */
static int next;                /* index of the image for the next hashes */
static int64_t base = -1;       /* wave of the other image; -1: none */
static int64_t expected = -1;   /* wave of `next`; -1: no hashes are taken */
static int64_t turn;            /* count of images since one with all blocks */
static int rest;                /* waves to come without hashes */
static struct extent *extents;  /* the regions of the hashes */
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

/* ---- memory for hashes ---- */

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

/*
 * Replaces the memory of the next image. A child of a wave that was given up may live for a moment,
 * and write to its own.
 */
static bool replace_room(void)
{
    munmap(images[next], length);
    images[next] = new_image();
    return images[next] != NULL;
}

/*
 * Makes memory for other regions, which have other places in the image. False without memory: no
 * hashes are taken.
 */
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

/* ---- an image ---- */

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

/*
 * Notes that a block changed while it was written. The written bytes may be of before or after, so
 * the hash noted matches neither.
 */
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

/* ---- after an image ---- */

/* Returns whether writing the unchanged blocks would have taken longer than finding them. */
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
        base = -1; /* its hashes are unknown, and the former ones are of an older wave */
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
