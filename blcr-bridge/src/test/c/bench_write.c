/*
 * What one write costs the process that makes it: as a system call that overwrites a cached file in
 * place, through the shim, and through the C API. Nothing is drained meanwhile: chunks are released
 * unread, by a stand-in for the I/O process.
 *
 * usage: bench_write SHIM [--json]
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_io_process.h"
#include "sluice.h"

#define CHUNKS 64
#define CHUNK_LENGTH (1 << 20)
#define ROUNDS 15
#define LONGEST (1 << 20)
#define BYTES_PER_PASS (8 << 20)
#define WRITES_PER_PASS 16384

static const size_t lengths[] = {16,       64,       256,       1 << 10, 4 << 10,
                                 16 << 10, 64 << 10, 256 << 10, LONGEST};
#define LENGTHS (sizeof lengths / sizeof *lengths)

enum way { SYSTEM_CALL, SHIM, API, WAYS };

static ssize_t (*write_by_kernel)(int, const void *, size_t);
static off_t (*seek_by_kernel)(int, off_t, int);
static int plain, captured;
static sluice_image *image;
static char data[LONGEST];

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "bench_write: ");
        perror(what);
        exit(1);
    }
}

static ssize_t write_once(enum way way, size_t length, int64_t offset)
{
    switch (way) {
    case SYSTEM_CALL:
        return write_by_kernel(plain, data, length);
    case SHIM:
        return write(captured, data, length);
    default:
        return sluice_image_pwrite(image, data, length, offset);
    }
}

/* Nanoseconds per write. */
static double pass(enum way way, size_t length)
{
    const size_t most = BYTES_PER_PASS / length;
    const size_t writes = most < WRITES_PER_PASS ? most : WRITES_PER_PASS;
    must(seek_by_kernel(plain, 0, SEEK_SET) == 0 && lseek(captured, 0, SEEK_SET) == 0, "lseek");
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (size_t i = 0; i < writes; i++)
        must(write_once(way, length, (int64_t)(i * length)) == (ssize_t)length, "write");
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec))
        / (double)writes;
}

static int ascending(const void *one, const void *other)
{
    const double first = *(const double *)one, second = *(const double *)other;
    return first < second ? -1 : first > second;
}

static double median(double values[ROUNDS])
{
    qsort(values, ROUNDS, sizeof *values, ascending);
    return values[ROUNDS / 2];
}

static void print(const char *threads, size_t length, const double ns[WAYS], double ratio,
                  bool json)
{
    printf(json ? "{\"threads\":\"%s\",\"bytes\":%zu,\"system_call_ns\":%.1f,\"shim_ns\":%.1f,"
                  "\"api_ns\":%.1f,\"shim_to_system_call\":%.3f}\n"
                : "%-8s %8zu %12.1f %12.1f %12.1f %8.3f\n",
           threads, length, ns[SYSTEM_CALL], ns[SHIM], ns[API], ratio);
    fflush(stdout);
}

/* The ways take turns, so that what disturbs one disturbs them all. The first round warms up. */
static void measure(const char *threads, bool json)
{
    static double ns[LENGTHS][WAYS][ROUNDS], ratio[LENGTHS][ROUNDS];
    for (int round = -1; round < ROUNDS; round++) {
        for (size_t i = 0; i < LENGTHS; i++) {
            const int at = round < 0 ? 0 : round;
            for (enum way way = SYSTEM_CALL; way < WAYS; way++)
                ns[i][way][at] = pass(way, lengths[i]);
            ratio[i][at] = ns[i][SHIM][at] / ns[i][SYSTEM_CALL][at];
        }
    }
    for (size_t i = 0; i < LENGTHS; i++) {
        const double medians[] = {median(ns[i][0]), median(ns[i][1]), median(ns[i][2])};
        print(threads, lengths[i], medians, median(ratio[i]), json);
    }
}

static int open_below(const char *directory, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0, path);
    return fd;
}

static void *idle(void *argument)
{
    pause();
    return argument;
}

/* Runs with the shim loaded; finds the C library's own functions behind it. */
static void measure_all(bool json)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    *(void **)&write_by_kernel = dlsym(libc, "write");
    *(void **)&seek_by_kernel = dlsym(libc, "lseek");
    captured = open_below(getenv("SLUICE_CAPTURE"), "captured");
    plain = open_below(getenv("BENCH_PLAIN"), "plain");
    memset(data, 'b', sizeof data);
    for (int i = 0; i < BYTES_PER_PASS / LONGEST; i++)
        must(write_by_kernel(plain, data, LONGEST) == LONGEST, "write");
    sluice_session *session;
    must(sluice_session_open(NULL, 0, 1, &session) == 0
             && sluice_image_create(session, 0, "state", &image) == 0,
         sluice_message());
    if (!json) {
        printf("%-8s %8s %12s %12s %12s %8s\n", "threads", "bytes", "system call", "shim ns",
               "API ns", "shim/call");
    }
    measure("one", json);
    pthread_t thread;
    must(pthread_create(&thread, NULL, idle, NULL) == 0, "pthread_create");
    measure("two", json); /* as in most MPI programs; glibc's mutexes are atomic only now */
}

/* In a process of its own, with threads of its own. */
static pid_t start_io_process(char *directory, size_t capacity)
{
    int fds[2];
    must(pipe(fds) == 0, "pipe");
    const pid_t child = fork();
    if (child == 0) {
        static struct fake_io_process iop;
        fake_start(&iop,
                   (struct fake_geometry){SLUICE_HEADER_LAYOUT_CONTAINER, CHUNKS, CHUNK_LENGTH,
                                          INT64_C(1) << 40, SLUICE_HEADER_POLICY_FIXED});
        iop.careless = true;
        const bool told = write(fds[1], iop.directory, capacity) == (ssize_t)capacity;
        while (told)
            pause();
        _exit(1);
    }
    must(child > 0 && read(fds[0], directory, capacity) == (ssize_t)capacity, "I/O process");
    return child;
}

static int run_with_shim(char *const arguments[], const char *shim, const char *directory)
{
    char root[] = "/tmp/sluice-bench-XXXXXX", capture[64], command[256];
    must(mkdtemp(root) != NULL, root);
    snprintf(capture, sizeof capture, "%s/capture", root);
    must(mkdir(capture, 0700) == 0, capture);
    const pid_t child = fork();
    if (child == 0) {
        setenv("LD_PRELOAD", shim, 1);
        setenv("SLUICE_DIRECTORY", directory, 1);
        setenv("SLUICE_CAPTURE", capture, 1);
        setenv("BENCH_PLAIN", root, 1);
        execv("/proc/self/exe", arguments);
        _exit(1);
    }
    int status = 1;
    must(waitpid(child, &status, 0) == child, "waitpid");
    snprintf(command, sizeof command, "rm -r %s %s", root, directory);
    return system(command) == 0 ? status : 1;
}

int main(int count, char *arguments[])
{
    if (count < 2) {
        fprintf(stderr, "usage: bench_write SHIM [--json]\n");
        return 2;
    }
    if (getenv("BENCH_PLAIN") != NULL) {
        measure_all(count > 2 && strcmp(arguments[2], "--json") == 0);
        _exit(0);
    }
    char directory[64];
    const pid_t io_process = start_io_process(directory, sizeof directory);
    const int status = run_with_shim(arguments, arguments[1], directory);
    kill(io_process, SIGKILL);
    return status == 0 ? 0 : 1;
}
