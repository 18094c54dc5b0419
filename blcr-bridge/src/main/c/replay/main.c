/*
 * sluice-replay [--pauses=MS | --verify] DIRECTORY PART...
 *
 * Makes the writes of a recorded trace once more, with one process for each part, to files below
 * DIRECTORY: each when it was made, or with --pauses as fast as possible but for the pauses of the
 * processes, which are cut to MS milliseconds. With the shim loaded they take Sluice's way, otherwise they are plain. Prints how many
 * bytes are written from time to time, and at the end
 *
 *     done WRITES BYTES RETURN SPAN DURABLE STOPPED
 *
 * in ns: how long the slowest process was in its calls, and since the start, when the last call
 * returned and when all was on stable storage. SIGINT and SIGTERM end it early,
 * with STOPPED 1. --verify reads the files instead.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "content.h"
#include "rank.h"
#include "segment.h"
#include "status.h"

#define POLL_NANOS 50000000
#define POLLS_PER_LINE 5
#define ROOM_PATIENCE INT64_C(10000000000)

static struct replay_board *board;

static void stop(int signal)
{
    (void)signal;
    board->stopped = true;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = POLL_NANOS}, NULL);
}

/* Reads all parts once: how many writes each file gets, the longest, and when the first began. */
static int64_t survey(struct replay_part *parts, int count, struct replay_plan *plan)
{
    int64_t longest = 0;
    plan->begin = INT64_MAX;
    for (int i = 0; i < count; i++) {
        struct replay_write write;
        while (replay_part_next(&parts[i], &write)) {
            parts[i].files[write.file].writes++;
            longest = write.size > longest ? write.size : longest;
            plan->begin = write.begin < plan->begin ? write.begin : plan->begin;
        }
    }
    return longest;
}

/* For what an I/O process that has just begun still allocates, and for what the warm-up took. */
static void await_room(void)
{
    struct sluice_segment *segment;
    const char *directory = getenv("SLUICE_DIRECTORY");
    if (directory == NULL || sluice_segment_map(directory, &segment) != 0) {
        return;
    }
    const int64_t end = replay_now() + ROOM_PATIENCE;
    while (segment->header->free_chunks < (int64_t)segment->chunk_count && replay_now() < end) {
        nap();
    }
    sluice_segment_unmap(segment);
}

static void print_progress(int count)
{
    int64_t bytes = 0;
    for (int i = 0; i < count; i++) {
        bytes += board->results[i].bytes;
    }
    printf("progress %lld\n", (long long)bytes);
    fflush(stdout);
}

/* Waits for all ranks; true if all went well. */
static bool await_end(int count)
{
    bool well = true;
    for (int polls = 1, running = count; running > 0; polls++) {
        int status;
        const pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended > 0) {
            running--;
            well &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
        } else {
            nap();
            if (polls % POLLS_PER_LINE == 0) {
                print_progress(count);
            }
        }
    }
    return well;
}

static int64_t later(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static void print_result(int count)
{
    int64_t writes = 0, bytes = 0, nanos = 0, ended = board->started, durable = board->started;
    for (int i = 0; i < count; i++) {
        const struct replay_result *each = &board->results[i];
        writes += each->writes;
        bytes += each->bytes;
        nanos = later(nanos, each->nanos);
        ended = later(ended, each->ended);
        durable = later(durable, each->durable);
    }
    printf("done %lld %lld %lld %lld %lld %d\n", (long long)writes, (long long)bytes,
           (long long)nanos, (long long)(ended - board->started),
           (long long)(durable - board->started), board->stopped);
}

static int replay(struct replay_part *parts, int count, const struct replay_plan *plan)
{
    board = mmap(NULL, sizeof *board + sizeof *board->results * (size_t)count,
                 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) {
        perror("sluice profile replay: no memory");
        return 1;
    }
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    await_room();
    int started = 0;
    for (; started < count; started++) {
        const pid_t child = fork();
        if (child == 0) {
            signal(SIGINT, SIG_IGN);
            signal(SIGTERM, SIG_IGN);
            exit(replay_rank_run(&parts[started], plan, board, &board->results[started]));
        }
        if (child < 0) {
            perror("sluice profile replay: cannot start a process");
            board->stopped = true;
            break;
        }
    }
    while (board->ready < started && !board->stopped) {
        siginfo_t ended = {0};
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) {
            board->stopped = true; /* it has said why */
        }
        nap();
    }
    await_room();
    board->started = replay_now();
    const bool well = await_end(started) && started == count;
    if (well) {
        print_result(count);
    }
    return well ? 0 : 1;
}

static int verify(struct replay_part *parts, int count, const char *directory)
{
    int status = 0;
    for (int i = 0; status == 0 && i < count; i++) {
        status = replay_rank_verify(&parts[i], directory);
    }
    return status;
}

static void allow_many_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(int count, char **arguments)
{
    sluice_exec_name = "sluice profile replay";
    const bool pauses = count > 1 && strncmp(arguments[1], "--pauses=", strlen("--pauses=")) == 0;
    const bool verifies = count > 1 && strcmp(arguments[1], "--verify") == 0;
    const int first = pauses || verifies ? 2 : 1;
    const int part_count = count - first - 1;
    if (part_count < 1) {
        fprintf(stderr, "usage: sluice-replay [--pauses=MS | --verify] DIRECTORY PART...\n");
        return 2;
    }
    struct replay_part *parts = calloc((size_t)part_count, sizeof *parts);
    struct replay_plan plan = {.directory = arguments[first], .in_time = !pauses};
    if (pauses) {
        plan.longest_pause = atoll(arguments[1] + strlen("--pauses=")) * 1000000;
    }
    for (int i = 0; parts != NULL && i < part_count; i++) {
        const int error = replay_part_open(&parts[i], arguments[first + 1 + i]);
        if (error != 0) {
            sluice_exec_say("cannot read %s: %s", arguments[first + 1 + i], strerror(-error));
            return 1;
        }
    }
    if (parts == NULL || !replay_content_prepare(survey(parts, part_count, &plan))) {
        perror("sluice profile replay: no memory");
        return 1;
    }
    allow_many_files();
    return verifies ? verify(parts, part_count, plan.directory) : replay(parts, part_count, &plan);
}
