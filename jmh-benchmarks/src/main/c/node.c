/*
 * One node: it starts ranks that live until it ends, and lets them write checkpoints together.
 *
 * checkpoint_node OUTPUT RANKS PATTERN [PRELOAD]
 *
 * With the shim to preload, the ranks' files go to the I/O process of the environment's
 * SLUICE_DIRECTORY and SLUICE_CAPTURE.
 *
 * It prints "ready" and takes orders from standard input, a line each:
 *
 *     NUMBER close|sync|commit|count DIRECTORY
 *
 * makes every rank write DIRECTORY/rank-N.img: only that; with an fsync before the close; until,
 * after the close, checkpoint NUMBER is committed; or slowly, to count system calls. The answer is a JSON object on one line, times in
 * nanoseconds: "open" from the first open to the first write, "return" from there to the last close,
 * "durable" from there until everything is on stable storage (0 with `close`), "ranks_cpu",
 * "iop_cpu"; "buffered", the bytes in the I/O process's buffer at the last close; and
 * "system_calls" of all ranks, -1 if they were not counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "board.h"
#include "census.h"
#include "pattern.h"
#include "service.h"

enum until { CLOSE, SYNC, COMMIT, COUNT };

struct order {
    int64_t number;
    enum until until;
    char directory[PATH_MAX];
};

/* What is not in the ranks' results. Times in nanoseconds. */
struct observation {
    int64_t durable; /* CLOCK_MONOTONIC */
    int64_t iop_cpu;
    int64_t buffered;
    int64_t system_calls;
};

static struct board *board;
static pid_t children[BOARD_MAX_RANKS];
static int ranks;
static int with_service;

static void die(const char *what)
{
    fprintf(stderr, "checkpoint_node: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int shared_memory(const char *name, size_t length)
{
    const int fd = memfd_create(name, 0);
    if (fd < 0 || ftruncate(fd, (off_t)length) != 0) {
        die(name);
    }
    return fd;
}

static char *decimal(int number)
{
    char *text = NULL;
    if (asprintf(&text, "%d", number) < 0) {
        die("memory");
    }
    return text;
}

static void start_rank(int rank, char **argv, int board_fd, int memory_fd)
{
    children[rank] = fork();
    if (children[rank] < 0) {
        die("fork");
    }
    if (children[rank] != 0) {
        return;
    }
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (length < 0) {
        die("/proc/self/exe");
    }
    program[length] = '\0';
    strcpy(strrchr(program, '/') + 1, "checkpoint_rank");
    setenv("SLUICE_RANK", decimal(rank), 1);
    setenv("SLUICE_RANKS", decimal(ranks), 1);
    if (with_service) {
        setenv("LD_PRELOAD", argv[4], 1);
    }
    execl(program, program, decimal(rank), argv[1], argv[3], decimal(board_fd), decimal(memory_fd),
          (char *)NULL);
    die(program);
}

/* Until all ranks have finished what they were told, or one has died. */
static void await_ranks(uint32_t expected)
{
    for (;;) {
        const uint32_t finished = atomic_load_explicit(&board->finished, memory_order_acquire);
        if (finished == expected) {
            return;
        }
        board_wait(&board->finished, finished, 1000);
        if (waitpid(-1, NULL, WNOHANG) != 0) {
            errno = ECHILD;
            die("a rank ended");
        }
    }
}

static void check_results(void)
{
    for (int i = 0; i < ranks; i++) {
        if (board->results[i].error[0] != '\0') {
            fprintf(stderr, "checkpoint_node: %s\n", board->results[i].error);
            exit(1);
        }
    }
}

static struct board_result slowest_result(void)
{
    struct board_result total = board->results[0];
    for (int i = 1; i < ranks; i++) {
        const struct board_result *result = &board->results[i];
        total.opening = result->opening < total.opening ? result->opening : total.opening;
        total.started = result->started < total.started ? result->started : total.started;
        total.ended = result->ended > total.ended ? result->ended : total.ended;
        total.cpu += result->cpu;
    }
    return total;
}

static void report(enum until until, const struct observation *seen)
{
    const struct board_result total = slowest_result();
    const int64_t durable = until == COMMIT ? seen->durable - total.started
                            : until == SYNC ? total.ended - total.started
                                            : 0;
    printf("{\"open\":%" PRId64 ",\"return\":%" PRId64 ",\"durable\":%" PRId64
           ",\"ranks_cpu\":%" PRId64 ",\"iop_cpu\":%" PRId64 ",\"buffered\":%" PRId64
           ",\"system_calls\":%" PRId64 "}\n",
           total.started - total.opening, total.ended - total.started, durable, total.cpu,
           seen->iop_cpu, seen->buffered, seen->system_calls);
    fflush(stdout);
}

static int64_t count_system_calls(void)
{
    const int64_t calls = census_end(children, ranks);
    if (calls < 0) {
        die("tracing the ranks");
    }
    return calls;
}

static void checkpoint(const struct order *order, uint32_t finished)
{
    struct observation seen = {.system_calls = -1};
    if (order->until == COUNT && census_begin(children, ranks) != 0) {
        die("tracing the ranks");
    }
    const int64_t cpu = with_service ? service_cpu() : 0;
    board->sync = order->until == SYNC;
    strcpy(board->directory, order->directory);
    atomic_fetch_add_explicit(&board->orders, 1, memory_order_release);
    board_wake(&board->orders);
    if (order->until == COUNT) {
        seen.system_calls = count_system_calls();
    }
    await_ranks(finished);
    check_results();
    seen.buffered = with_service ? service_buffered() : 0;
    if (order->until == COMMIT && service_await(order->number) != 0) {
        exit(1);
    }
    seen.durable = board_now();
    seen.iop_cpu = with_service ? service_cpu() - cpu : 0;
    report(order->until, &seen);
}

static int parse(const char *line, struct order *order)
{
    static const char *const UNTIL[] = {"close", "sync", "commit", "count"};
    char until[8];
    if (sscanf(line, "%" SCNd64 " %7s %4095[^\n]", &order->number, until, order->directory) != 3) {
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        if (strcmp(until, UNTIL[i]) == 0) {
            order->until = (enum until)i;
            return order->until == COMMIT && !with_service ? -1 : 0;
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: checkpoint_node OUTPUT RANKS PATTERN [PRELOAD]\n");
        return 2;
    }
    ranks = atoi(argv[2]);
    with_service = argc == 5;
    if (ranks < 1 || ranks > BOARD_MAX_RANKS) {
        errno = ERANGE;
        die(argv[2]);
    }
    const int board_fd = shared_memory("board", sizeof(struct board));
    int memory_fd = -1;
    if (strcmp(argv[1], "memory") == 0) {
        struct pattern pattern;
        if (pattern_read(argv[3], &pattern) != 0) {
            die(argv[3]);
        }
        const size_t share = (pattern.image + 4095) / 4096 * 4096;
        memory_fd = shared_memory("memory", share * (size_t)ranks);
    }
    board = board_map(board_fd);
    if (board == NULL) {
        die("board");
    }
    for (int rank = 0; rank < ranks; rank++) {
        start_rank(rank, argv, board_fd, memory_fd);
    }
    uint32_t finished = (uint32_t)ranks;
    await_ranks(finished);
    if (with_service && service_open() != 0) {
        return 1;
    }
    puts("ready");
    fflush(stdout);
    char line[PATH_MAX + 64];
    struct order order;
    while (fgets(line, sizeof(line), stdin) != NULL) {
        if (parse(line, &order) != 0) {
            fprintf(stderr, "checkpoint_node: not an order: %s", line);
            return 2;
        }
        finished += (uint32_t)ranks;
        checkpoint(&order, finished);
    }
    return 0;
}
