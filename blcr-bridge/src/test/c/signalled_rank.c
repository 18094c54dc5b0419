/*
 * Interrupts a rank by a signal at each instruction of an operation, one after the other; the handler
 * uses the very descriptor:
 *
 *     signalled_rank MOST CAPTURED PLAIN [OPERATION]
 *
 * under the shim, for which files in the directory CAPTURED are captured and those in PLAIN are not. At
 * most MOST instructions of each operation, evenly spread, are tried with the first handler, and a fifth
 * of them with each of the others, each with a file of its own. What the file then holds, where the descriptor is and what the calls gave has to be what comes
 * out in PLAIN when the signal comes before the operation, or when it comes after it.
 *
 * The processor traps behind each instruction, in this process. Not for others than x86-64.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define BORDER 60000 /* bytes of a chunk of 64 KiB: what comes then does not fit */
#define LARGEST (1 << 18)

static const char *operation, *handler;
static long instruction;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr,                                                                        \
                    "signalled_rank: %s:%d: %s with a handler that does %s: %s at "                \
                    "instruction %ld: %s\n",                                                       \
                    __FILE__, __LINE__, operation, handler, #condition, instruction,               \
                    strerror(errno));                                                              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* ---- what a rank does, and a handler ---- */

static int fd;
static FILE *stream;
static char data[LARGEST];

static long do_write(void)
{
    return write(fd, data, 64);
}
static long do_large_write(void)
{
    return write(fd, data, LARGEST);
}
static long do_border(void)
{
    return write(fd, data, 10000);
}
static long do_pwrite(void)
{
    return pwrite(fd, data, 64, 10);
}
static long do_lseek(void)
{
    return lseek(fd, 20, SEEK_SET);
}
static long do_truncate(void)
{
    return ftruncate(fd, 30);
}
static long do_fsync(void)
{
    return fsync(fd);
}
static long do_close(void)
{
    return close(fd);
}
static long do_flush(void)
{
    return fflush(stream);
}

static long do_writev(void)
{
    const struct iovec parts[] = {{data, 10}, {data + 100, 50}};
    return writev(fd, parts, 2);
}

static long do_read(void)
{
    char text[8] = "";
    return read(fd, text, sizeof text) < 0 ? -1 : text[0];
}

static const struct operation {
    const char *name;
    long (*run)(void);
    size_t before; /* how many bytes there are before it */
    int flags;
} OPERATIONS[] = {
    {"write", do_write, 1000, 0},     {"append", do_write, 1000, O_APPEND},
    {"border", do_border, BORDER, 0}, {"large", do_large_write, 1000, 0},
    {"pwrite", do_pwrite, 1000, 0},   {"writev", do_writev, 1000, 0},
    {"lseek", do_lseek, 1000, 0},     {"truncate", do_truncate, 1000, 0},
    {"fsync", do_fsync, 1000, 0},     {"close", do_close, 1000, 0},
    {"read", do_read, 1000, 0},       {"stdio", do_flush, 1000, 0},
};

static long by_write(void)
{
    return write(fd, "handled", 7);
}
static long by_pwrite(void)
{
    return pwrite(fd, "handled", 7, 15);
}

static long by_write_and_sync(void)
{
    const long written = write(fd, "handled", 7);
    return fsync(fd) == 0 ? written : -2;
}

static long by_seek(void)
{
    return lseek(fd, 500, SEEK_SET) == 500 ? write(fd, "handled", 7) : -2;
}

static const struct {
    const char *name;
    long (*run)(void);
} HANDLERS[] = {
    {"write", by_write},
    {"pwrite", by_pwrite},
    {"write and fsync", by_write_and_sync},
    {"lseek and write", by_seek},
};

/* ---- the signal ---- */

static volatile long countdown; /* of instructions until the signal is sent */
static volatile bool delivered;
static long (*handle)(void);
static volatile long handled; /* what the handler's call gave */

static void on_signal(int number)
{
    (void)number;
    const int error = errno;
    delivered = true;
    handled = handle();
    errno = error;
}

/* Behind each instruction; the signal comes when this returns. */
static void on_trap(int number)
{
    (void)number;
    const int error = errno;
    if (countdown-- == 0)
        syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
    errno = error;
}

static void set_handlers(void)
{
    struct sigaction trap = {.sa_handler = on_trap}, action = {.sa_handler = on_signal};
    sigaddset(&trap.sa_mask, SIGUSR1);
    CHECK(sigaction(SIGTRAP, &trap, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
}

#ifdef __x86_64__
#define TRAP_FLAG 0x100
static inline void step(bool on)
{
    unsigned long flags = __builtin_ia32_readeflags_u64();
    flags = on ? flags | TRAP_FLAG : flags & ~(unsigned long)TRAP_FLAG;
    __builtin_ia32_writeeflags_u64(flags);
}
#else
static inline void step(bool on)
{
    (void)on;
}
#endif

/* ---- what came of it ---- */

struct outcome {
    long operation, handler;
    off_t position;
    size_t length;
    char content[LARGEST + BORDER + 20000];
};

static void prepare(const struct operation *what, const char *path)
{
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC | what->flags, 0600);
    CHECK(fd >= 0);
    CHECK(write(fd, data + 7, what->before) == (ssize_t)what->before);
    if (what->run == do_read)
        CHECK(lseek(fd, 100, SEEK_SET) == 100);
    if (what->run == do_flush) {
        CHECK((stream = fdopen(fd, "r+")) != NULL);
        CHECK(fwrite(data, 1, 300, stream) == 300);
    }
}

static void conclude(const struct operation *what, const char *path, struct outcome *outcome)
{
    const bool closed = what->run == do_close;
    outcome->handler = handled;
    outcome->position = closed ? 0 : lseek(fd, 0, SEEK_CUR);
    if (what->run == do_flush)
        CHECK(fclose(stream) == 0);
    else
        CHECK(closed || close(fd) == 0);
    const int again = open(path, O_RDONLY);
    const ssize_t length = read(again, outcome->content, sizeof outcome->content);
    CHECK(length >= 0 && close(again) == 0 && unlink(path) == 0);
    outcome->length = (size_t)length;
}

enum when { BEFORE, AFTER, DURING };

/* False when the operation was over before the signal. */
static bool try(const struct operation *what, const char *directory, enum when when,
                struct outcome *outcome)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, what->name);
    prepare(what, path);
    delivered = false;
    countdown = when == DURING ? instruction : -1;
    if (when == BEFORE)
        raise(SIGUSR1);
    if (when == DURING)
        step(true);
    outcome->operation = what->run();
    if (when == DURING)
        step(false);
    const bool in_time = delivered;
    if (when == AFTER || !in_time)
        raise(SIGUSR1);
    conclude(what, path, outcome);
    return in_time;
}

static bool same(const struct outcome *a, const struct outcome *b)
{
    return a->operation == b->operation && a->handler == b->handler && a->position == b->position
        && a->length == b->length && memcmp(a->content, b->content, a->length) == 0;
}

static struct outcome before, after, during;

/* Of which there are more where the shim has work to do. */
static long count_instructions(const struct operation *what, const char *directory)
{
    const long most = 100000000;
    instruction = most;
    try(what, directory, DURING, &during);
    return most - countdown - 1;
}

static void interrupt(const struct operation *what, const char *captured, const char *plain,
                      long most)
{
    operation = what->name;
    try(what, plain, BEFORE, &before);
    try(what, plain, AFTER, &after);
    const long all = count_instructions(what, captured);
    CHECK(all > 2 * count_instructions(what, plain));
    const long stride = all / most + 1;
    long tried = 0;
    for (instruction = 0; instruction < all; instruction += stride, tried++) {
        try(what, captured, DURING, &during);
        if (!same(&during, &before) && !same(&during, &after)) {
            fprintf(stderr, "result %ld, handler's %ld, position %ld, length %zu\n",
                    during.operation, during.handler, (long)during.position, during.length);
            CHECK(!"as before or after");
        }
    }
    printf("%s with a handler that does %s: %ld of %ld instructions\n", operation, handler, tried,
           all);
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fprintf(stderr, "signalled_rank: MOST CAPTURED PLAIN [OPERATION]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 131 >> 3);
    set_handlers();
    long most = strtol(arguments[1], NULL, 10);
    for (size_t i = 0; i < sizeof HANDLERS / sizeof *HANDLERS; i++) {
        handle = HANDLERS[i].run;
        handler = HANDLERS[i].name;
        for (size_t j = 0; j < sizeof OPERATIONS / sizeof *OPERATIONS; j++)
            if (count == 4 || strcmp(arguments[4], OPERATIONS[j].name) == 0)
                interrupt(&OPERATIONS[j], arguments[2], arguments[3], most);
        most = i == 0 ? most / 5 + 1 : most;
    }
    return 0;
}
