/*
 * Stops or kills a rank at each instruction of an operation, one after the other:
 *
 *     stepped_rank stop|kill OPERATION MOST DIRECTORY SEGMENT
 *
 * under the shim. At most MOST instructions, evenly spread, are tried, each with a rank and a file in
 * DIRECTORY of its own. While the rank stands still another process reads its file: at once, and as
 * it was before the operation or as it is afterwards. A stopped rank then goes on as if nothing had
 * been; of a killed one neither a chunk nor a slot is left.
 *
 * Not for processors on which a locked instruction is a loop, which never ends step by step.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sluice_layout.h"

#define LIMIT (1 << 20)
#define BORDER 60000 /* bytes of a chunk of 64 KiB: what comes then does not fit */
#define PATIENCE_SECONDS 20
#define TAIL "the tail"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "stepped_rank: %s:%d: %s: %s at instruction %ld: %s\n", __FILE__,      \
                    __LINE__, path, #condition, instruction, strerror(errno));                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

struct operation {
    const char *name;
    int (*run)(int fd); /* gives the descriptor that is to be closed */
    size_t before;      /* how many bytes there are before it */
    size_t offset;      /* what it writes, and where */
    size_t length;
    size_t after; /* how many bytes there are afterwards */
};

static const struct operation *operation;
static char path[4096];
static long instruction;
static char written[2 * LIMIT];
static const struct sluice_header *segment;

/* ---- what a rank does ---- */

static int append(int fd)
{
    CHECK(pwrite(fd, written + LIMIT, operation->length, (off_t)operation->offset)
          == (ssize_t)operation->length);
    return fd;
}

static int truncate_file(int fd)
{
    CHECK(ftruncate(fd, (off_t)operation->after) == 0);
    return fd;
}

static int synchronise(int fd)
{
    CHECK(fsync(fd) == 0);
    return fd;
}

static int close_file(int fd)
{
    CHECK(close(fd) == 0);
    return -1;
}

/* The first file of a process, which attaches for it. */
static int begin(int none)
{
    (void)none;
    const int fd = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0);
    return append(fd);
}

/* A file of a process that has a slot: it enters that without asking. */
static int create(int first)
{
    CHECK(close(first) == 0);
    return begin(-1);
}

static const struct operation OPERATIONS[] = {
    {"append", append, 1000, 1000, 64, 1064},
    {"overwrite", append, 1000, 10, 500, 1000},
    {"border", append, BORDER, BORDER, 10000, BORDER + 10000},
    {"direct", append, 1000, 500, LIMIT, LIMIT + 500},
    {"truncate", truncate_file, 1000, 0, 0, 10},
    {"sync", synchronise, 1000, 0, 0, 1000},
    {"close", close_file, 1000, 0, 0, 1000},
    {"begin", begin, 0, 0, 64, 64},
    {"create", create, 0, 0, 64, 64},
};

static void attach_by_another_file(void)
{
    char other[sizeof path + 8];
    snprintf(other, sizeof other, "%s-other", path);
    const int fd = open(other, O_WRONLY | O_CREAT, 0600);
    CHECK(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0 && unlink(other) == 0);
}

static _Noreturn void run_rank(void)
{
    int fd = -1;
    CHECK(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
    if (operation->before > 0) {
        fd = open(path, O_RDWR | O_CREAT, 0600);
        CHECK(fd >= 0 && write(fd, written, operation->before) == (ssize_t)operation->before);
    }
    if (operation->run == create) {
        fd = open("/proc/self/exe", O_RDONLY);
        attach_by_another_file();
    }
    raise(SIGSTOP);
    fd = operation->run(fd);
    raise(SIGSTOP);
    CHECK(fd < 0 || close(fd) == 0);
    fd = open(path, O_WRONLY);
    CHECK(fd >= 0 && pwrite(fd, TAIL, sizeof TAIL, 3) == sizeof TAIL && close(fd) == 0);
    _exit(0);
}

/* ---- what others see ---- */

/* The file when so many bytes of the operation's write are in it. */
static size_t model(char *bytes, size_t count)
{
    memcpy(bytes, written, operation->before);
    memcpy(bytes + operation->offset, written + LIMIT, count);
    const size_t end = operation->offset + count;
    return count == operation->length ? operation->after
        : end > operation->before     ? end
                                      : operation->before;
}

static bool is(const char *found, size_t length, size_t count)
{
    static char expected[2 * LIMIT];
    return length == model(expected, count) && memcmp(found, expected, length) == 0;
}

static size_t read_file(char *found)
{
    size_t length = 0;
    ssize_t count;
    alarm(PATIENCE_SECONDS); /* nobody waits for a rank that stands still */
    const int fd = open(path, O_RDONLY);
    if (fd < 0) {
        CHECK(errno == ENOENT);
        return 0;
    }
    while ((count = read(fd, found + length, 2 * LIMIT - length)) > 0)
        length += (size_t)count;
    CHECK(count == 0 && close(fd) == 0);
    alarm(0);
    return length;
}

/* Of a write that goes direct what the log does not have may be there first. */
static bool is_done_but_for_logged(const char *found, size_t length)
{
    const size_t logged = operation->before;
    return length == operation->after && length > logged && memcmp(found, written, logged) == 0
        && memcmp(found + logged, written + LIMIT + logged - operation->offset, length - logged)
        == 0;
}

/* A write that does not fit into a chunk is two, as any long write may be to the kernel. */
static void check_before_or_after(void)
{
    static char found[2 * LIMIT];
    const size_t length = read_file(found);
    const bool begun = length > operation->before && length < operation->after;
    CHECK((length == operation->before && memcmp(found, written, length) == 0)
          || is(found, length, begun ? length - operation->offset : operation->length)
          || is_done_but_for_logged(found, length));
}

static void check_whole(void)
{
    static char found[2 * LIMIT];
    static char expected[2 * LIMIT];
    size_t length = model(expected, operation->length);
    memcpy(expected + 3, TAIL, sizeof TAIL);
    length = length > 3 + sizeof TAIL ? length : 3 + sizeof TAIL;
    CHECK(read_file(found) == length);
    CHECK(memcmp(found, expected, length) == 0);
}

/* Chunks and slots that somebody has; this process has a slot itself. */
static int held(void)
{
    const char *base = (const char *)segment;
    const _Atomic int64_t *chunks = (const _Atomic int64_t *)(base + segment->chunk_states);
    const struct sluice_slot *slots = (const struct sluice_slot *)(base + segment->slots);
    int count = -1;
    for (int i = 0; i < segment->chunk_count; i++) {
        const int state = (int)(chunks[i] & 0xff);
        count += state == SLUICE_CHUNK_STATE_OPEN || state == SLUICE_CHUNK_STATE_PUBLISHED;
    }
    for (int i = 0; i < segment->slot_count; i++)
        count += slots[i].state != SLUICE_SLOT_STATE_FREE;
    return count;
}

static void check_nothing_left(void)
{
    const time_t end = time(NULL) + PATIENCE_SECONDS;
    while (held() > 0) {
        CHECK(time(NULL) < end);
        usleep(1000);
    }
}

/* ---- one step after the other ---- */

/* Whether the operation was over before that many. */
static bool step(pid_t rank, long steps)
{
    int status;
    for (long i = 0; i < steps; i++) {
        CHECK(ptrace(PTRACE_SINGLESTEP, rank, NULL, NULL) == 0);
        CHECK(waitpid(rank, &status, 0) == rank && WIFSTOPPED(status));
        if (WSTOPSIG(status) == SIGSTOP) {
            instruction = i;
            return true;
        }
    }
    return false;
}

static pid_t start_rank(const char *directory)
{
    int status;
    snprintf(path, sizeof path, "%s/%s-%ld", directory, operation->name, instruction);
    const pid_t rank = fork();
    if (rank == 0)
        run_rank();
    CHECK(rank > 0 && waitpid(rank, &status, 0) == rank && WIFSTOPPED(status));
    return rank;
}

static void kill_rank(pid_t rank)
{
    CHECK(kill(rank, SIGKILL) == 0 && waitpid(rank, NULL, 0) == rank);
}

static long count_instructions(const char *directory)
{
    instruction = -1;
    const pid_t rank = start_rank(directory);
    CHECK(step(rank, 10000000));
    kill_rank(rank);
    return instruction;
}

static void stop_at(const char *directory)
{
    int status;
    const pid_t rank = start_rank(directory);
    step(rank, instruction);
    check_before_or_after();
    CHECK(ptrace(PTRACE_DETACH, rank, NULL, NULL) == 0);
    while (waitpid(rank, &status, WUNTRACED) == rank && WIFSTOPPED(status))
        kill(rank, SIGCONT); /* its second stop, which is nobody's any more */
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_whole();
}

static void kill_at(const char *directory)
{
    const pid_t rank = start_rank(directory);
    step(rank, instruction);
    kill_rank(rank);
    check_before_or_after();
}

static const void *map(const char *name)
{
    struct stat status;
    const int fd = open(name, O_RDONLY);
    CHECK(fd >= 0 && fstat(fd, &status) == 0);
    const void *mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    CHECK(mapping != MAP_FAILED && close(fd) == 0);
    return mapping;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 6 && i < sizeof OPERATIONS / sizeof *OPERATIONS; i++)
        operation = strcmp(argv[2], OPERATIONS[i].name) == 0 ? OPERATIONS + i : operation;
    if (operation == NULL) {
        fprintf(stderr, "stepped_rank: stop|kill OPERATION MOST DIRECTORY SEGMENT\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof written; i++)
        written[i] = (char)(i * 131 >> 3);
    segment = map(argv[5]);
    const long all = count_instructions(argv[4]);
    const long most = strtol(argv[3], NULL, 10);
    const long stride = all > most ? all / most + 1 : 1;
    long tried = 0;
    for (long at = 0; at < all; at += stride, tried++) {
        instruction = at;
        (strcmp(argv[1], "kill") == 0 ? kill_at : stop_at)(argv[4]);
        unlink(path);
    }
    check_nothing_left();
    printf("%s at %ld of %ld instructions of %s\n", argv[1], tried, all, argv[2]);
    return 0;
}
