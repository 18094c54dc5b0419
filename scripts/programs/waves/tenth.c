/*
 * Changes a tenth of its memory in each step: other pages in each, or with --do window the same ones; with --do third the
 * same third. With --do shared the memory is shared with other processes, with --do apart forked children do not have it.
 * Once there is a file ./wipe they have zeros there.
 * Looks in each step for a child that it does not have. At its end it leaves its memory in a file for each rank, where the
 * variable TENTH_DUMP names them.
 */
#include "corpus.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 512 /* elements: a page */

static volatile sig_atomic_t children;

static void count_child(int signal)
{
    (void)signal;
    children++;
}

static bool has_to(const char *what, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--do") == 0)
            return strcmp(argv[i + 1], what) == 0;
    return false;
}

static uint64_t *memory_of(size_t bytes, bool shared)
{
    uint64_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
    corpus_check(memory != MAP_FAILED, "mmap");
    corpus_check(sluice_protect(100, memory, bytes) == 0, "sluice_protect");
    return memory;
}

/* A child of waves that is seen here would be taken for one of the program's. */
static void look_for_child(void)
{
    corpus_check(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "there is a child");
    corpus_check(children == 0, "a child ended");
}

static void change(uint64_t *memory, int64_t size, uint64_t told, int64_t step, bool window,
                   int64_t part)
{
    const int64_t blocks = size / BLOCK;
    for (int64_t i = 0; i < blocks / part + 1; i++) {
        const uint64_t any = corpus_mix(told, (uint64_t)step, (uint64_t)i) % (uint64_t)blocks;
        uint64_t *block = memory + (window ? (uint64_t)i : any) * BLOCK;
        for (int64_t k = 0; k < BLOCK; k++)
            block[k] = corpus_mix(block[k], (uint64_t)k, told);
    }
}

static void dump(const uint64_t *memory, size_t bytes, int rank)
{
    char name[4096];
    if (getenv("TENTH_DUMP") == NULL)
        return;
    snprintf(name, sizeof name, "%s.%d", getenv("TENTH_DUMP"), rank);
    FILE *file = fopen(name, "w");
    corpus_check(file != NULL && fwrite(memory, 1, bytes, file) == bytes && fclose(file) == 0,
                 name);
}

int main(int argc, char **argv)
{
    signal(SIGCHLD, count_child);
    const struct corpus corpus = corpus_begin(&argc, &argv);
    const int right = (corpus.rank + 1) % corpus.ranks;
    const int left = (corpus.rank + corpus.ranks - 1) % corpus.ranks;
    const size_t bytes = (size_t)corpus.size * sizeof(uint64_t);
    int64_t *step = corpus_protected(sizeof *step);
    uint64_t *told = corpus_protected(sizeof *told);
    const bool third = has_to("third", argc, argv);
    const bool window = third || has_to("window", argc, argv);
    uint64_t *memory = memory_of(bytes, has_to("shared", argc, argv));
    if (has_to("apart", argc, argv))
        corpus_check(madvise(memory, bytes, MADV_DONTFORK) == 0, "madvise");
    for (int64_t i = 0; i < corpus.size; i += BLOCK)
        memory[i] = (uint64_t)i + 1;
    for (; *step < corpus.steps; ++*step) {
        if (access("wipe", F_OK) == 0)
            corpus_check(madvise(memory, bytes, MADV_WIPEONFORK) == 0, "madvise");
        sluice_potential_checkpoint();
        const uint64_t said = corpus_mix(memory[0], *told, (uint64_t)corpus.rank);
        MPI_Sendrecv(&said, 1, MPI_UINT64_T, right, 1, told, 1, MPI_UINT64_T, left, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        change(memory, corpus.size, *told, *step, window, third ? 3 : 10);
        corpus_pause();
        look_for_child();
    }
    dump(memory, bytes, corpus.rank);
    corpus_end(corpus_hash(*told, memory, bytes));
}
