#include "corpus.h"

#include <getopt.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int64_t pause_most;
static const char *result;
static int protected_regions;

struct corpus corpus_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"steps", required_argument, NULL, 's'},
        {"size", required_argument, NULL, 'z'},
        {"pause", required_argument, NULL, 'p'},
        {"result", required_argument, NULL, 'r'},
        {"free", no_argument, NULL, 'f'},
        {"do", required_argument, NULL, 'd'},
        {NULL, 0, NULL, 0},
    };
    struct corpus corpus = {.steps = 20, .size = 64};
    int option;
    MPI_Comm_rank(MPI_COMM_WORLD, &corpus.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &corpus.ranks);
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 's':
            corpus.steps = strtoll(optarg, NULL, 10);
            break;
        case 'z':
            corpus.size = strtoll(optarg, NULL, 10);
            break;
        case 'p':
            pause_most = strtoll(optarg, NULL, 10);
            break;
        case 'r':
            result = optarg;
            break;
        case 'f':
            corpus.free = true;
            break;
        case 'd': /* of bad.c */
            break;
        default:
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    return corpus;
}

struct corpus corpus_begin(int *argc, char ***argv)
{
    setlocale(LC_ALL, "");
    MPI_Init(argc, argv);
    return corpus_options(*argc, *argv);
}

void corpus_options_of_process(struct corpus *corpus)
{
    static char words[4096]; /* getopt's arguments point into it */
    char *argv[64];
    int argc = 0;
    FILE *line = fopen("/proc/self/cmdline", "r");
    corpus_check(line != NULL, "/proc/self/cmdline");
    const size_t length = fread(words, 1, sizeof words - 1, line);
    fclose(line);
    for (size_t at = 0; at < length && argc < 63; at += strlen(words + at) + 1)
        argv[argc++] = words + at;
    argv[argc] = NULL;
    *corpus = corpus_options(argc, argv);
}

void corpus_pause(void)
{
    static uint64_t turn;
    struct timespec now;
    if (pause_most == 0 || access("hurry", F_OK) == 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t chance = corpus_mix((uint64_t)now.tv_nsec, turn++, 0);
    const int64_t wait = (int64_t)(chance % (uint64_t)pause_most) * (turn > 200 ? 8 : 1);
    nanosleep(&(struct timespec){wait / 1000000, wait % 1000000 * 1000}, NULL);
}

uint64_t corpus_mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t mixed = a * 0x9e3779b97f4a7c15 + b * 0xbf58476d1ce4e5b9 + c * 0x94d049bb133111eb + 1;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

uint64_t corpus_hash(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 0x100000001b3;
    return hash;
}

void *corpus_protected(size_t bytes)
{
    void *memory = calloc(1, bytes);
    corpus_check(memory != NULL, "no memory");
    corpus_check(sluice_protect(protected_regions++, memory, bytes) == 0, "sluice_protect");
    return memory;
}

void corpus_check(bool holds, const char *what)
{
    int rank;
    if (holds)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "corpus: rank %d: wrong: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

static void say(uint64_t hash)
{
    FILE *out = result == NULL ? stdout : fopen(result, "w");
    corpus_check(out != NULL && fprintf(out, "result %016" PRIx64 "\n", hash) > 0, "result");
    corpus_check(result == NULL ? fflush(out) == 0 : fclose(out) == 0, "result");
}

void corpus_end(uint64_t hash)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    uint64_t *hashes = calloc((size_t)ranks, sizeof *hashes);
    MPI_Gather(&hash, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0)
        say(corpus_hash(0xcbf29ce484222325, hashes, (size_t)ranks * sizeof *hashes));
    free(hashes);
    MPI_Finalize();
}

__attribute__((noinline)) void corpus_spot(void)
{
    sluice_potential_checkpoint();
    __asm__ volatile(""); /* no tail call: the return address is here */
}
