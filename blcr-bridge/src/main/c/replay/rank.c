#include "rank.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "content.h"
#include "status.h"
#include "trace.h"

#define SHORTEST_SLEEP 100000
#define START_POLL 20000
#define SHORTEST_PAUSE 20000000 /* what is shorter is a program's loop, as in the tuner's model */

/* A file while it is replayed. */
struct target {
    int fd; /* -1 before its first write and after its last */
    int64_t position;
    int64_t writes_left;
};

int64_t replay_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void sleep_for(int64_t nanos)
{
    nanosleep(&(struct timespec){nanos / 1000000000, nanos % 1000000000}, NULL);
}

static int complain(const char *what, const char *path)
{
    sluice_exec_say("cannot %s %s: %s", what, path, strerror(errno));
    return 1;
}

static bool name(const char *directory, const char *path, char target[PATH_MAX])
{
    return snprintf(target, PATH_MAX, "%s/%s", directory, path) < PATH_MAX;
}

/* Creates the directories above a path. */
static void make_way(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* The first file makes an I/O process known to this process, which is not to be measured. */
static void warm_up(const struct replay_part *part, const char *directory)
{
    char path[PATH_MAX];
    for (int32_t i = 0; i < part->file_count; i++) {
        if (name(directory, part->files[i].path, path)) {
            make_way(path);
        }
    }
    snprintf(path, sizeof path, "%s/warm-up-%d", directory, getpid());
    const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) {
        if (write(fd, "", 1) == 1) {
            close(fd);
        }
        unlink(path);
    }
}

static void await_start(struct replay_board *board)
{
    board->ready++;
    while (board->started == 0 && !board->stopped) {
        sleep_for(START_POLL);
    }
}

static void await_time(const struct replay_write *write, const struct replay_plan *plan,
                       struct replay_board *board)
{
    const int64_t due = board->started + (write->begin - plan->begin);
    while (!board->stopped) {
        const int64_t left = due - replay_now();
        if (left < SHORTEST_SLEEP) {
            return;
        }
        sleep_for(left < 100000000 ? left - SHORTEST_SLEEP / 2 : 100000000);
    }
}

/* As long as the pause before this write was, if it was one. */
static void pause_before(const struct replay_write *write, int64_t last_end,
                         const struct replay_plan *plan, const struct replay_board *board)
{
    const int64_t pause = last_end > write->begin ? 0 : write->begin - last_end;
    if (pause < SHORTEST_PAUSE || plan->longest_pause == 0) {
        return;
    }
    const int64_t end = replay_now() + (pause < plan->longest_pause ? pause : plan->longest_pause);
    while (!board->stopped && replay_now() < end) {
        sleep_for(SHORTEST_PAUSE / 20);
    }
}

/* Positioned where the program's own call was; a seek comes before any other that needs one. */
static ssize_t write_some(struct target *target, int call, int64_t offset, int64_t size)
{
    const void *data = replay_content_at(offset);
    if (call == SLUICE_TRACE_PWRITE || call == SLUICE_TRACE_PWRITEV) {
        return pwrite(target->fd, data, (size_t)size, offset);
    }
    if (offset != target->position && lseek(target->fd, offset, SEEK_SET) < 0) {
        return -1;
    }
    const ssize_t written = write(target->fd, data, (size_t)size);
    target->position = offset + (written > 0 ? written : 0);
    return written;
}

static int replay_write(const struct replay_write *write, struct target *target, const char *path)
{
    if (target->fd < 0) {
        target->fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
        target->position = 0;
        if (target->fd < 0) {
            return complain("open", path);
        }
    }
    for (int64_t done = 0; done < write->size;) {
        const ssize_t written =
            write_some(target, write->call, write->offset + done, write->size - done);
        if (written < 0 && errno != EINTR) {
            return complain("write", path);
        }
        done += written > 0 ? written : 0;
    }
    if (--target->writes_left == 0) {
        const int fd = target->fd;
        target->fd = -1;
        return close(fd) == 0 ? 0 : complain("close", path);
    }
    return 0;
}

static int replay_all(struct replay_part *part, const struct replay_plan *plan,
                      struct replay_board *board, struct replay_result *result,
                      struct target *targets)
{
    struct replay_write write;
    char path[PATH_MAX];
    int status = 0;
    int64_t last_end = INT64_MAX;
    while (status == 0 && !board->stopped && replay_part_next(part, &write)) {
        struct target *target = &targets[write.file];
        if (target->fd < 0 && !name(plan->directory, part->files[write.file].path, path)) {
            errno = ENAMETOOLONG;
            return complain("open", part->files[write.file].path);
        }
        if (plan->in_time) {
            await_time(&write, plan, board);
        } else {
            pause_before(&write, last_end, plan, board);
        }
        last_end = write.end;
        const int64_t begin = replay_now();
        status = replay_write(&write, target, path);
        result->ended = replay_now();
        result->nanos += result->ended - begin;
        result->writes++;
        result->bytes += write.size;
    }
    for (int32_t i = 0; i < part->file_count; i++) { /* of a replay that was stopped */
        if (targets[i].fd >= 0) {
            close(targets[i].fd);
        }
    }
    return status;
}

static int make_durable(const struct replay_part *part, const char *directory)
{
    char path[PATH_MAX];
    for (int32_t i = 0; i < part->file_count; i++) {
        if (!name(directory, part->files[i].path, path)) {
            continue;
        }
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 && errno != ENOENT) {
            return complain("open", path);
        }
        if (fd >= 0 && (fdatasync(fd) != 0 || close(fd) != 0)) {
            return complain("sync", path);
        }
    }
    return 0;
}

int replay_rank_run(struct replay_part *part, const struct replay_plan *plan,
                    struct replay_board *board, struct replay_result *result)
{
    struct target *targets = calloc((size_t)part->file_count + 1, sizeof *targets);
    if (targets == NULL) {
        return complain("replay", plan->directory);
    }
    for (int32_t i = 0; i < part->file_count; i++) {
        targets[i] = (struct target){.fd = -1, .writes_left = part->files[i].writes};
    }
    warm_up(part, plan->directory);
    replay_part_rewind(part);
    await_start(board);
    result->ended = board->started;
    int status = replay_all(part, plan, board, result, targets);
    free(targets);
    if (status == 0) {
        status = make_durable(part, plan->directory);
        result->durable = replay_now();
    }
    return status;
}

static int verify_write(const struct replay_write *write, int fd, const char *path)
{
    char found[1 << 16];
    for (int64_t done = 0; done < write->size;) {
        const int64_t left = write->size - done;
        const size_t length = left < (int64_t)sizeof found ? (size_t)left : sizeof found;
        const ssize_t got = pread(fd, found, length, write->offset + done);
        if (got < 0) {
            return complain("read", path);
        }
        if (got == 0 || memcmp(found, replay_content_at(write->offset + done), (size_t)got) != 0) {
            sluice_exec_say("%s has other bytes than were written at %lld", path,
                            (long long)(write->offset + done));
            return 1;
        }
        done += got;
    }
    return 0;
}

int replay_rank_verify(struct replay_part *part, const char *directory)
{
    struct replay_write write;
    char path[PATH_MAX] = "";
    int fd = -1, status = 0;
    int32_t file = -1;
    replay_part_rewind(part);
    while (status == 0 && replay_part_next(part, &write)) {
        if (write.file != file) {
            file = write.file;
            if (fd >= 0) {
                close(fd);
            }
            fd = name(directory, part->files[file].path, path) ? open(path, O_RDONLY | O_CLOEXEC)
                                                               : -1;
        }
        status = fd < 0 ? complain("open", path) : verify_write(&write, fd, path);
    }
    if (fd >= 0) {
        close(fd);
    }
    return status;
}
