#include "rank.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "census.h"
#include "clock.h"
#include "content.h"
#include "status.h"

#define SHORTEST_SLEEP 100000
#define LONGEST_SLEEP 100000000
#define SHORTEST_PAUSE 20000000 /* a shorter pause is a program's loop, as in tune */
#define PATIENCE_MS 60000

/* The rank that this process is. */
static struct {
    struct replay_part *part;
    const struct replay_plan *plan;
    struct replay_board *board;
    struct replay_result *result;
    struct target {
        struct replay_target at;
        int64_t shift;
        int64_t writes_left;
    } *targets;
} rank;

_Noreturn static void fail(const char *what, const char *path)
{
    sluice_launch_fail(1, "cannot %s %s: %m", what, path);
}

bool replay_name(const char *directory, const char *path, char target[PATH_MAX])
{
    return snprintf(target, PATH_MAX, "%s/%s", directory, path) < PATH_MAX;
}

void replay_make_directories(const struct replay_part *part, const char *directory)
{
    char path[PATH_MAX];
    for (int32_t i = 0; i < part->file_count; i++) {
        if (!replay_name(directory, part->files[i].path, path))
            continue;
        for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
            *slash = 0;
            mkdir(path, 0777);
            *slash = '/';
        }
    }
}

/* Opens a file before the measuring, to make the I/O process known to this process. */
static void warm_up(const char *directory)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/warm-up-%d", directory, getpid());
    const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) {
        if (write(fd, "", 1) == 1)
            close(fd);
        unlink(path);
    }
}

/* Touches all memory before anything is measured. */
static void prepare(void)
{
    struct replay_part *part = rank.part;
    const struct replay_plan *plan = rank.plan;
    rank.targets = calloc((size_t)part->file_count + 1, sizeof *rank.targets);
    if (rank.targets == NULL)
        fail("replay", "a process");
    for (int32_t i = 0; i < part->file_count; i++) {
        rank.targets[i].shift = replay_content_shift(part->files[i].path);
        if (replay_target_prepare(&rank.targets[i].at, plan->output, part->files[i].end) != 0)
            fail("have memory for", part->files[i].path);
    }
    /*
     * A program writes memory of its own. The parts of a single replay may have more than the node.
     */
    if (plan->rounds
        && !replay_content_prepare(plan->farthest, plan->longest, plan->output == REPLAY_DIRECT)) {
        fail("have memory for", "what is written");
    }
}

/* Sleeps until a moment, or until the user stops the replay. Returns the time slept, in ns. */
static int64_t sleep_until(int64_t end)
{
    const int64_t begin = sluice_clock();
    int64_t now = begin;
    while (end - now >= SHORTEST_SLEEP && !rank.board->stopped) {
        const int64_t left = end - now;
        nanosleep(&(struct timespec){.tv_nsec = MIN(left - SHORTEST_SLEEP / 2, LONGEST_SLEEP - 1)},
                  NULL);
        now = sluice_clock();
    }
    return now - begin;
}

/* Sleeps until the time of the write or, without times, as long as the pause before it. */
static int64_t pause_before(const struct replay_write *write, int64_t last_end)
{
    const struct replay_plan *plan = rank.plan;
    if (plan->in_time)
        return sleep_until(rank.board->task.started + (write->begin - plan->begin));
    const int64_t pause = last_end > write->begin ? 0 : write->begin - last_end;
    if (pause < SHORTEST_PAUSE || plan->longest_pause == 0)
        return 0;
    return sleep_until(sluice_clock() + MIN(pause, plan->longest_pause));
}

static void open_target(struct target *target, const char *path)
{
    char name[PATH_MAX];
    errno = ENAMETOOLONG;
    if (!replay_name(rank.board->task.directory, path, name)
        || replay_target_open(&target->at, rank.plan->output, name) != 0) {
        fail("open", path);
    }
    if (rank.result->began == 0)
        rank.result->began = sluice_clock();
}

static void replay_write(const struct replay_write *write, struct target *target, const char *path)
{
    if (!target->at.open)
        open_target(target, path);
    for (int64_t done = 0; done < write->size;) {
        const int64_t offset = write->offset + done;
        const ssize_t written =
            replay_target_write(&target->at, write->call, replay_content_at(target->shift, offset),
                                write->size - done, offset);
        if (written < 0 && errno != EINTR)
            fail("write", path);
        done += written > 0 ? written : 0;
    }
    const bool synced = rank.board->task.what == REPLAY_WRITE_SYNCED;
    if (--target->writes_left == 0 && replay_target_close(&target->at, synced) != 0)
        fail(synced ? "sync or close" : "close", path);
}

static void replay_all(void)
{
    struct replay_result *result = rank.result;
    struct replay_write write;
    int64_t writes = 0, bytes = 0, last_end = INT64_MAX;
    result->paused = 0;
    result->began = 0;
    result->opened = sluice_clock();
    while (!rank.board->stopped && replay_part_next(rank.part, &write)) {
        result->paused += pause_before(&write, last_end);
        last_end = write.end;
        replay_write(&write, &rank.targets[write.file], rank.part->files[write.file].path);
        bytes += write.size;
        atomic_store_explicit(&result->writes, ++writes, memory_order_relaxed);
        atomic_store_explicit(&result->bytes, bytes, memory_order_relaxed);
    }
    for (int32_t i = 0; i < rank.part->file_count; i++) /* files of a replay that was stopped */
        replay_target_close(&rank.targets[i].at, false);
    result->ended = sluice_clock();
    result->began = result->began == 0 ? result->opened : result->began;
}

static void make_durable(void)
{
    char path[PATH_MAX];
    for (int32_t i = 0; i < rank.part->file_count; i++) {
        if (!replay_name(rank.board->task.directory, rank.part->files[i].path, path))
            continue;
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 && errno != ENOENT)
            fail("open", path);
        if (fd >= 0 && (fdatasync(fd) != 0 || close(fd) != 0))
            fail("sync", path);
    }
}

static void meet(void)
{
    if (rank.board->task.meets)
        replay_board_meet(rank.board, (uint32_t)rank.plan->ranks);
}

static void replay(void)
{
    replay_part_rewind(rank.part);
    for (int32_t i = 0; i < rank.part->file_count; i++)
        rank.targets[i].writes_left = rank.part->files[i].writes;
    meet();
    const int64_t cpu = sluice_clock_of(CLOCK_PROCESS_CPUTIME_ID);
    syscall(REPLAY_CENSUS_MARK);
    replay_all();
    syscall(REPLAY_CENSUS_MARK);
    if (rank.board->task.what == REPLAY_WRITE_THEN_SYNC)
        make_durable();
    rank.result->durable = sluice_clock();
    rank.result->cpu = sluice_clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    meet();
}

_Noreturn void replay_rank_run(struct replay_part *part, const struct replay_plan *plan,
                               const char *warm_up_in, struct replay_board *board,
                               struct replay_result *result)
{
    rank.part = part;
    rank.plan = plan;
    rank.board = board;
    rank.result = result;
    prepare();
    if (warm_up_in != NULL)
        warm_up(warm_up_in);
    for (uint32_t task = 0;; task++) {
        replay_board_advance(&board->finished);
        while (atomic_load_explicit(&board->tasks, memory_order_acquire) == task)
            if (!plan->computes)
                replay_board_wait(&board->tasks, task, PATIENCE_MS);
        if (board->task.what == REPLAY_LEAVE)
            exit(0);
        replay();
    }
}

static int verify_write(const struct replay_write *write, int fd, int64_t shift, const char *path)
{
    char found[1 << 16];
    for (int64_t done = 0; done < write->size;) {
        const int64_t offset = write->offset + done, left = write->size - done;
        const size_t length = left < (int64_t)sizeof found ? (size_t)left : sizeof found;
        const ssize_t got = pread(fd, found, length, offset);
        if (got < 0)
            fail("read", path);
        if (got == 0 || memcmp(found, replay_content_at(shift, offset), (size_t)got) != 0) {
            sluice_launch_say("%s has other bytes than were written at %lld", path,
                              (long long)offset);
            return 1;
        }
        done += got;
    }
    return 0;
}

int replay_verify(struct replay_part *part, const char *directory)
{
    struct replay_write write;
    char path[PATH_MAX] = "";
    int fd = -1, status = 0;
    int32_t file = -1;
    replay_part_rewind(part);
    while (status == 0 && replay_part_next(part, &write)) {
        if (write.file != file) {
            file = write.file;
            if (fd >= 0)
                close(fd);
            errno = ENAMETOOLONG;
            fd = replay_name(directory, part->files[file].path, path)
                ? open(path, O_RDONLY | O_CLOEXEC)
                : -1;
        }
        if (fd < 0)
            fail("open", path);
        status = verify_write(&write, fd, replay_content_shift(part->files[file].path), path);
    }
    if (fd >= 0)
        close(fd);
    return status;
}
