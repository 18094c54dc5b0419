/*
 * The pages that a program has written since the last image: by hashes of blocks, as the layer
 * does, and by the kernel's PAGEMAP_SCAN over asynchronous write protection (Linux 6.7). A tenth is
 * written anew between two looks. changed MIB ROUNDS: a line of JSON for each way and round. The
 * kernel that has none is said so, with status 77.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hash.h"

#define BLOCK 16384

/* linux/fs.h and linux/userfaultfd.h of Linux 6.7, which older headers have not. */
struct region {
    uint64_t start, end, categories;
};

struct scan {
    uint64_t size, flags, start, end, walk_end, regions, regions_length, most_pages;
    uint64_t inverted, all_of, any_of, returned;
};

#define SCAN _IOWR('f', 16, struct scan)
#define PROTECT_MATCHING 1
#define PAGE_IS_WRITTEN (1 << 1)
#define WP_UNPOPULATED (1 << 13)
#define WP_ASYNC (1 << 15)

static uint8_t *memory;
static size_t length;
static struct scan scan;
static int pagemap;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "changed: %s: %s\n", what, strerror(errno));
    exit(errno == ENOSYS || errno == EPERM || errno == EINVAL || errno == ENOTTY ? 77 : 1);
}

static void protect(void)
{
    const int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    check(faults >= 0, "userfaultfd");
    struct uffdio_api api = {.api = UFFD_API, .features = WP_ASYNC | WP_UNPOPULATED};
    check(ioctl(faults, UFFDIO_API, &api) == 0, "UFFDIO_API");
    struct uffdio_register all = {.range = {(uintptr_t)memory, length},
                                  .mode = UFFDIO_REGISTER_MODE_WP};
    check(ioctl(faults, UFFDIO_REGISTER, &all) == 0, "UFFDIO_REGISTER");
}

/* Returns the bytes of the pages that were written since the last call, and protects them anew. */
static size_t scan_pages(void)
{
    const struct region *regions = (const struct region *)(uintptr_t)scan.regions;
    size_t written = 0;
    scan.start = (uintptr_t)memory;
    for (scan.walk_end = 0; scan.walk_end < scan.end; scan.start = scan.walk_end) {
        const int found = ioctl(pagemap, SCAN, &scan);
        check(found >= 0, "PAGEMAP_SCAN");
        for (int i = 0; i < found; i++)
            written += regions[i].end - regions[i].start;
    }
    return written;
}

/* Returns the bytes of the blocks whose hash is another one than at the last call. */
static size_t hash_blocks(struct sluice_mpi_hash *hashes)
{
    size_t written = 0;
    for (size_t i = 0; i < length / BLOCK; i++) {
        const struct sluice_mpi_hash hash = sluice_mpi_hash(memory + i * BLOCK, BLOCK);
        if (hash.low != hashes[i].low || hash.high != hashes[i].high)
            written += BLOCK;
        hashes[i] = hash;
    }
    return written;
}

/* Each tenth block, and others in each round. */
static void rewrite(int round)
{
    for (size_t i = (size_t)round % 10; i < length / BLOCK; i += 10)
        memset(memory + i * BLOCK, round + 2, BLOCK);
}

static void measure(const char *way, int rounds, struct sluice_mpi_hash *hashes)
{
    for (int round = 0; round < rounds; round++) {
        const double begun = now();
        rewrite(round);
        const double written = now();
        const size_t bytes = hashes != NULL ? hash_blocks(hashes) : scan_pages();
        const double found = now();
        printf(
            "{\"part\":\"changed\",\"way\":\"%s\",\"mib\":%zu,\"round\":%d,\"changed_bytes\":%zu,"
            "\"program_ms\":%.3f,\"look_ms\":%.3f}\n",
            way, length >> 20, round + 1, bytes, written - begun, found - written);
    }
}

int main(int argc, char **argv)
{
    const int rounds = argc > 2 ? atoi(argv[2]) : 0;
    length = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0;
    if (length == 0 || rounds <= 0) {
        fprintf(stderr, "usage: changed MIB ROUNDS\n");
        return 2;
    }
    const size_t most_regions = length / (size_t)sysconf(_SC_PAGESIZE) + 1;
    memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(memory != MAP_FAILED, "mmap");
    madvise(memory, length, MADV_NOHUGEPAGE); /* a huge page would be split by the first fault */
    memset(memory, 1, length);
    struct sluice_mpi_hash *hashes = calloc(length / BLOCK, sizeof *hashes);
    struct region *regions = calloc(most_regions, sizeof *regions);
    check(hashes != NULL && regions != NULL, "calloc");

    hash_blocks(hashes);
    measure("hash", rounds, hashes);

    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    check(pagemap >= 0, "/proc/self/pagemap");
    protect();
    scan = (struct scan){.size = sizeof scan,
                         .flags = PROTECT_MATCHING,
                         .end = (uintptr_t)memory + length,
                         .regions = (uintptr_t)regions,
                         .regions_length = most_regions,
                         .all_of = PAGE_IS_WRITTEN,
                         .returned = PAGE_IS_WRITTEN};
    scan_pages();
    measure("scan", rounds, NULL);
    return 0;
}
