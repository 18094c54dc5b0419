/*
 * One application process: it holds the memory of its image and writes it, in the order of a
 * pattern, each time the board tells it to. It knows nothing of Sluice.
 *
 * checkpoint_rank RANK OUTPUT PATTERN BOARD_FD MEMORY_FD
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "board.h"
#include "census.h"
#include "output.h"
#include "pattern.h"

static int rank;
static struct pattern pattern;
static const struct output *output;
static char *memory;

static void die(const char *what)
{
    fprintf(stderr, "checkpoint_rank: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Other bytes in every rank, the same in every run, and nothing a file system could compress. */
static void fill_memory(void)
{
    memory = mmap(NULL, pattern.memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        die("memory for the image");
    }
    if (strcmp(output->name, "direct") == 0) {
        /* A floor is as low as it gets: fewer pages, fewer segments in each request to the disk. */
        madvise(memory, pattern.memory, MADV_HUGEPAGE);
    }
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(rank + 1);
    uint64_t *words = (uint64_t *)memory;
    for (size_t i = 0; i < pattern.memory / sizeof(*words); i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        words[i] = state;
    }
}

static int64_t cpu_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int write_image(const char *path, int sync, struct board_result *result)
{
    if (output->open(path) != 0) {
        return -1;
    }
    result->started = board_now();
    for (size_t i = 0; i < pattern.count; i++) {
        if (output->write(memory + pattern.writes[i].offset, pattern.writes[i].length) != 0) {
            return -1;
        }
        if (pattern.gap != 0 && output->skip(pattern.gap) != 0) {
            return -1;
        }
    }
    if (sync && output->sync() != 0) {
        return -1;
    }
    return output->close();
}

static void checkpoint(const struct board *board, struct board_result *result)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof(path), "%s/rank-%d.img", board->directory, rank);
    result->error[0] = '\0';
    const int64_t cpu = cpu_time();
    syscall(CENSUS_MARK);
    result->opening = board_now();
    if (write_image(path, board->sync, result) != 0) {
        snprintf(result->error, sizeof(result->error), "rank %d: %s", rank, strerror(errno));
    }
    result->ended = board_now();
    syscall(CENSUS_MARK);
    result->cpu = cpu_time() - cpu;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: checkpoint_rank RANK OUTPUT PATTERN BOARD_FD MEMORY_FD\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    rank = atoi(argv[1]);
    output = output_find(argv[2]);
    struct board *board = board_map(atoi(argv[4]));
    if (output == NULL || board == NULL) {
        die("output or board");
    }
    if (pattern_read(argv[3], &pattern) != 0) {
        die(argv[3]);
    }
    if (pattern.gap != 0 && output->skip == NULL) {
        errno = EINVAL;
        die("this output cannot leave bytes out");
    }
    const int memory_fd = atoi(argv[5]);
    const size_t share = (pattern.image + 4095) / 4096 * 4096;
    if (memory_fd >= 0 && output_map(memory_fd, share * (size_t)rank, share) != 0) {
        die("shared memory");
    }
    fill_memory();
    for (uint32_t order = 0;; order++) {
        atomic_fetch_add_explicit(&board->finished, 1, memory_order_release);
        board_wake(&board->finished);
        while (atomic_load_explicit(&board->orders, memory_order_acquire) == order) {
            board_wait(&board->orders, order, 60000);
        }
        checkpoint(board, &board->results[rank]);
    }
}
