/*
 * Protects --size MiB of which it touches few: other pages in each step, the first one as its setup does. Pages that a
 * checkpoint has as zeros take no memory, neither when it is taken nor behind a restart.
 */
#include "corpus.h"

#include <stdio.h>
#include <sys/mman.h>

#define PAGE 4096

static unsigned char *memory_of(size_t bytes)
{
    unsigned char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
    corpus_check(memory != MAP_FAILED, "mmap");
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    corpus_check(sluice_protect(100, memory, bytes) == 0, "sluice_protect");
    return memory;
}

/* Of this process's own memory; what it shares with the I/O process is none. */
static int64_t resident_bytes(void)
{
    int64_t found = -1;
    char line[200];
    FILE *status = fopen("/proc/self/status", "r");
    corpus_check(status != NULL, "/proc/self/status");
    while (found < 0 && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "RssAnon: %ld", &found) != 1)
            found = -1;
    fclose(status);
    return found * 1024;
}

static unsigned char *page_of(unsigned char *memory, int64_t pages, int64_t step)
{
    return memory + corpus_mix((uint64_t)step, 0, 0) % (uint64_t)pages * PAGE;
}

/* Each other one of a while ago is zero again. */
static void touch(unsigned char *memory, int64_t pages, uint64_t told, int64_t step)
{
    if (step >= 50 && step % 2 == 0)
        memset(page_of(memory, pages, step - 50), 0, PAGE);
    unsigned char *page = page_of(memory, pages, step);
    for (int i = 0; i < PAGE; i += 8)
        page[i] = (unsigned char)corpus_mix(told, (uint64_t)i, (uint64_t)step);
}

static bool is_zero(const unsigned char *page)
{
    return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

static uint64_t hash_of(const unsigned char *memory, int64_t pages, uint64_t hash)
{
    for (int64_t i = 0; i < pages; i++)
        if (!is_zero(memory + i * PAGE))
            hash = corpus_hash(hash ^ (uint64_t)i, memory + i * PAGE, PAGE);
    return hash;
}

int main(int argc, char **argv)
{
    const struct corpus corpus = corpus_begin(&argc, &argv);
    const int right = (corpus.rank + 1) % corpus.ranks;
    const int left = (corpus.rank + corpus.ranks - 1) % corpus.ranks;
    const int64_t pages = corpus.size * (1 << 20) / PAGE;
    int64_t *step = corpus_protected(sizeof *step);
    uint64_t *told = corpus_protected(sizeof *told);
    const int64_t before = resident_bytes();
    unsigned char *memory = memory_of((size_t)pages * PAGE);
    unsigned char *used = memory + pages / 2 * PAGE;
    memset(used, 1, PAGE); /* a restart comes here as well, and then has zeros there */
    for (; *step < corpus.steps; ++*step) {
        sluice_potential_checkpoint();
        if (*step == 0)
            memset(used, 0, PAGE);
        const uint64_t said = corpus_mix((uint64_t)*step, *told, (uint64_t)corpus.rank);
        MPI_Sendrecv(&said, 1, MPI_UINT64_T, right, 1, told, 1, MPI_UINT64_T, left, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        touch(memory, pages, *told, *step);
        corpus_pause();
    }
    const uint64_t hash = hash_of(memory, pages, *told);
    corpus_check(resident_bytes() - before < pages * PAGE / 4, "untouched memory is resident");
    corpus_end(hash);
}
