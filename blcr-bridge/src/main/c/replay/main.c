/*
 * sluice-replay [--pauses=MS | --verify] DIRECTORY PART...
 * sluice-replay [--fresh [--library=LIBRARY]] [--computes]
 *               --rounds=files|stdio|direct|memory PART...
 *
 * Replays the writes of a recorded trace to files below DIRECTORY. Each part has a process, a rank.
 * Each write is made at its time in the trace. With --pauses, writes are as fast as possible, and
 * pauses of the processes are cut to MS milliseconds. With the shim loaded the writes take Sluice's
 * way; else they are plain. --verify reads the files instead.
 *
 * With --rounds, the ranks stay and write as fast as possible, as often as a line on standard input
 * says:
 *
 *     NUMBER close|sync|commit|count DIRECTORY
 *
 * and end with the input. The ranks meet before and behind a round, spinning, as ranks of MPI
 * programs do. "ready" is printed before the first. A round ends when the files are closed (close),
 * when they are also on stable storage (sync), or when checkpoint NUMBER is committed (commit).
 * With count it ends when they are closed, slowly, to count system calls.
 *
 * With --fresh each rank is a program of its own, which has met no I/O process before its first
 * round. With --library it also loads that, such as libmpi.so, and knows its number, as a rank that
 * a launcher starts. With --computes the ranks take their cores between rounds.
 *
 * Prints "progress BYTES" from time to time, and for each round an object of JSON in a line.
 * "opened", "began", "ended" and "durable" are times in ns since the start: of the first file, the
 * first write, the last call, and stable storage. "calls" is the time of the slowest rank in its
 * calls to open, write and close, and "open" that of the slowest to open its first file.
 * "ranks_cpu" and "iop_cpu" are processor time. "buffered" counts the bytes in the I/O process's
 * buffer after the last call. "system_calls" is -1 if they were not counted. SIGTERM, and SIGINT
 * without --rounds, end the replay early: it is "stopped" then.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "census.h"
#include "clock.h"
#include "content.h"
#include "fresh.h"
#include "kernel.h"
#include "rank.h"
#include "service.h"
#include "status.h"

#define PROGRESS_MS 250

enum ending { CLOSE, SYNC, COMMIT, COUNT };

static struct replay_board *board;
static struct replay_part *parts;
static struct replay_plan plan;
static pid_t *ranks;
static int rank_count;
static struct replay_fresh fresh;

static void stop(int signal)
{
    (void)signal;
    board->stopped = true;
}

/*
 * Reads all parts once: the number of each file's writes, the longest write, and the time of the
 * first.
 */
static void survey(void)
{
    plan.begin = INT64_MAX;
    for (int i = 0; i < rank_count; i++) {
        struct replay_write write;
        while (replay_part_next(&parts[i], &write)) {
            struct replay_file *file = &parts[i].files[write.file];
            const int64_t end = write.offset + write.size;
            file->writes++;
            file->end = MAX(file->end, end);
            plan.farthest = MAX(plan.farthest, end);
            plan.longest = MAX(plan.longest, write.size);
            plan.begin = MIN(plan.begin, write.begin);
        }
    }
}

static void set_number(const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv(name, text, 1);
}

static void start_ranks(const char *warm_up)
{
    for (int i = 0; i < rank_count; i++) {
        ranks[i] = fork();
        if (ranks[i] < 0)
            sluice_launch_fail(1, "cannot start a process: %m");
        if (ranks[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            signal(SIGINT, SIG_IGN);
            signal(SIGTERM, SIG_IGN);
            if (plan.rounds && (!fresh.wanted || fresh.library != NULL)) {
                set_number("SLUICE_RANK", i);
                set_number("SLUICE_RANKS", rank_count);
            }
            if (fresh.wanted)
                replay_fresh_exec(&fresh, i);
            replay_rank_run(&parts[i], &plan, warm_up, board, &board->results[i]);
        }
    }
}

static void print_progress(void)
{
    int64_t bytes = 0;
    for (int i = 0; i < rank_count; i++)
        bytes += atomic_load_explicit(&board->results[i].bytes, memory_order_relaxed);
    printf("progress %" PRId64 "\n", bytes);
    fflush(stdout);
}

/* Waits until all ranks have done everything since `before`; false if one failed instead. */
static bool await_ranks(uint32_t before)
{
    for (int failed = 0;;) {
        const uint32_t finished = atomic_load_explicit(&board->finished, memory_order_acquire);
        if (finished - before >= (uint32_t)(rank_count - failed))
            return failed == 0;
        replay_board_wait(&board->finished, finished, PROGRESS_MS);
        for (int status; waitpid(-1, &status, WNOHANG) > 0;) {
            failed++;
            board->stopped =
                true; /* the others need not go on; a rank has said why unless it was killed */
            if (WIFSIGNALED(status))
                sluice_launch_say("a process was killed by signal %d", WTERMSIG(status));
        }
        if (!plan.rounds)
            print_progress();
    }
}

static void print_result(int64_t durable, int64_t iop_cpu, int64_t buffered, int64_t system_calls)
{
    int64_t writes = 0, bytes = 0, calls = 0, cpu = 0, open = 0, ended = board->task.started;
    int64_t opened = INT64_MAX, began = INT64_MAX;
    for (int i = 0; i < rank_count; i++) {
        const struct replay_result *each = &board->results[i];
        writes += each->writes;
        bytes += each->bytes;
        cpu += each->cpu;
        opened = MIN(opened, each->opened);
        began = MIN(began, each->began);
        ended = MAX(ended, each->ended);
        open = MAX(open, each->began - each->opened);
        calls = MAX(calls, each->ended - each->opened - each->paused);
        durable = MAX(durable, each->durable);
    }
    const int64_t start = board->task.started;
    printf("{\"writes\":%" PRId64 ",\"bytes\":%" PRId64 ",\"calls\":%" PRId64 ",\"open\":%" PRId64
           ",\"opened\":%" PRId64 ",\"began\":%" PRId64 ",\"ended\":%" PRId64
           ",\"durable\":%" PRId64 ",\"ranks_cpu\":%" PRId64 ",\"iop_cpu\":%" PRId64
           ",\"buffered\":%" PRId64 ",\"system_calls\":%" PRId64 ",\"stopped\":%s}\n",
           writes, bytes, calls, open, opened - start, began - start, ended - start,
           durable - start, cpu, iop_cpu, buffered, system_calls,
           board->stopped ? "true" : "false");
    fflush(stdout);
}

/* False after a rank, or the I/O process, has said why it failed. */
static bool replay(int64_t number, enum ending ending, const char *directory)
{
    int64_t system_calls = -1;
    if (ending == COUNT && replay_census_begin(ranks, rank_count) != 0) {
        sluice_launch_say("cannot trace the ranks: %m");
        return false;
    }
    for (int i = 0; i < rank_count; i++)
        replay_make_directories(&parts[i], directory);
    const uint32_t before = board->finished;
    const int64_t cpu = replay_service_cpu();
    snprintf(board->task.directory, PATH_MAX, "%s", directory);
    board->task.what = ending != SYNC ? REPLAY_WRITE
        : plan.rounds                 ? REPLAY_WRITE_SYNCED
                                      : REPLAY_WRITE_THEN_SYNC;
    board->task.meets = plan.rounds && ending != COUNT;
    board->task.started = sluice_clock();
    replay_board_advance(&board->tasks);
    if (ending == COUNT && (system_calls = replay_census_end(ranks, rank_count)) < 0) {
        sluice_launch_say("cannot trace the ranks: %m");
        return false;
    }
    if (!await_ranks(before))
        return false;
    const int64_t buffered = replay_service_buffered();
    if (ending == COMMIT && !replay_service_await(number))
        return false;
    const int64_t durable = ending == COMMIT ? sluice_clock() : 0;
    print_result(durable, replay_service_cpu() - cpu, buffered, system_calls);
    return true;
}

static bool replay_rounds(void)
{
    static const char *const ENDINGS[] = {"close", "sync", "commit", "count"};
    char line[PATH_MAX + 64], word[8], directory[PATH_MAX];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        int64_t number;
        int ending = 4;
        if (sscanf(line, "%" SCNd64 " %7s %4095[^\n]", &number, word, directory) == 3) {
            for (ending = 0; ending < 4 && strcmp(word, ENDINGS[ending]) != 0; ending++) {
            }
        }
        if (ending == 4) {
            sluice_launch_say("not a round: %s", line);
            return false;
        }
        if (!replay(number, (enum ending)ending, directory))
            return false;
    }
    return true;
}

/* Lets the ranks end by themselves. False if one ended in failure. */
static bool dismiss_ranks(void)
{
    bool well = true;
    board->task.what = REPLAY_LEAVE;
    replay_board_advance(&board->tasks);
    for (int status; waitpid(-1, &status, 0) > 0;)
        well &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return well;
}

static bool replay_all(const char *directory)
{
    board = replay_board_map(&fresh.board, rank_count);
    ranks = calloc((size_t)rank_count, sizeof *ranks);
    if (board == NULL || ranks == NULL)
        sluice_launch_fail(1, "no memory");
    signal(SIGINT,
           plan.rounds ? SIG_IGN : stop); /* the bench, which gives the orders, gets it as well */
    signal(SIGTERM, stop);
    if (!fresh.wanted)
        replay_service_await_room();
    start_ranks(directory);
    if (!await_ranks(0))
        return false;
    replay_service_open();
    if (!fresh.wanted)
        replay_service_await_room();
    const bool well = plan.rounds ? replay_rounds() : replay(0, SYNC, directory);
    return dismiss_ranks() && well;
}

static void open_parts(char **paths)
{
    parts = calloc((size_t)rank_count, sizeof *parts);
    if (parts == NULL)
        sluice_launch_fail(1, "no memory");
    for (int i = 0; i < rank_count; i++) {
        const int error = replay_part_open(&parts[i], paths[i]);
        if (error != 0)
            sluice_launch_fail(1, "cannot read %s: %s", paths[i], strerror(-error));
    }
}

/* Returns the text behind `name` at the beginning of an argument; NULL for another argument. */
static const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

/* The command line, but for the parts. */
static struct {
    const char *pauses;
    const char *output;
    bool verifies;
} options;

static bool read_option(const char *argument)
{
    const char *value;
    if ((value = value_of(argument, "--pauses=")) != NULL)
        options.pauses = value;
    else if ((value = value_of(argument, "--rounds=")) != NULL)
        options.output = value;
    else if ((value = value_of(argument, "--library=")) != NULL)
        fresh.library = value;
    else if ((value = value_of(argument, REPLAY_FRESH_RANK)) != NULL)
        return replay_fresh_read(&fresh, value);
    else if (strcmp(argument, "--fresh") == 0)
        fresh.wanted = true;
    else if (strcmp(argument, "--computes") == 0)
        plan.computes = true;
    else
        return options.verifies = strcmp(argument, "--verify") == 0;
    return true;
}

/* Ends a process that was started as a fresh rank. */
_Noreturn static void be_rank(void)
{
    board = replay_board_map(&fresh.board, rank_count);
    if (board == NULL)
        sluice_launch_fail(1, "no memory");
    replay_fresh_check(&fresh);
    replay_rank_run(&parts[fresh.rank], &plan, NULL, board, &board->results[fresh.rank]);
}

int main(int count, char **arguments)
{
    int first = 1;
    bool well = true;
    for (; first < count && arguments[first][0] == '-'; first++)
        well &= read_option(arguments[first]);
    plan.rounds = options.output != NULL;
    const int named = plan.rounds ? replay_output_named(options.output) : REPLAY_FILES;
    const char *directory = !plan.rounds && first < count ? arguments[first++] : NULL;
    sluice_launch_name = plan.rounds ? "sluice-replay" : "sluice profile replay";
    rank_count = count - first;
    if (!well || rank_count < 1 || named < 0 || fresh.rank >= rank_count
        || (fresh.wanted && !plan.rounds)) {
        fprintf(stderr,
                "usage: sluice-replay [--pauses=MS | --verify] DIRECTORY PART...\n"
                "       sluice-replay [--fresh [--library=LIBRARY]] [--computes] "
                "--rounds=files|stdio|direct|memory PART...\n");
        return 2;
    }
    plan.output = (enum replay_output)named;
    plan.ranks = rank_count;
    plan.in_time = options.pauses == NULL && !plan.rounds;
    plan.longest_pause = options.pauses == NULL ? 0 : atoll(options.pauses) * 1000000;
    fresh.arguments = arguments;
    open_parts(arguments + first);
    survey();
    if (!plan.rounds && !replay_content_prepare(plan.farthest, plan.longest, false))
        sluice_launch_fail(1, "no memory for what is written");
    sluice_kernel_allow_files();
    if (fresh.is_rank)
        be_rank();
    if (!options.verifies)
        return replay_all(directory) ? 0 : 1;
    int status = 0;
    for (int i = 0; status == 0 && i < rank_count; i++)
        status = replay_verify(&parts[i], directory);
    return status;
}
