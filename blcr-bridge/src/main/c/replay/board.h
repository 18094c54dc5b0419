/*
 * The memory shared by the replay and its ranks: the task, and its results.
 *
 * The replay writes the task, then adds one to `tasks` (release). A rank that sees the new number
 * (acquire) reads the task. Each rank writes its own result, then adds one to `finished` (release).
 * The replay reads the results when all have. The count of a rank's writes so far may be read
 * meanwhile. Each side waits in the kernel, so that a waiting rank takes no core from another.
 * Before and after a measured round the ranks meet in a barrier, spinning as ranks of MPI programs
 * do.
 */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The result of a rank. Times are of CLOCK_MONOTONIC, in ns. */
struct replay_result {
    _Alignas(128) _Atomic int64_t writes;
    _Atomic int64_t bytes;
    int64_t opened;  /* time before the first file was opened */
    int64_t began;   /* time before the first write */
    int64_t ended;   /* time after the last call */
    int64_t paused;  /* ns of pauses in between */
    int64_t durable; /* time when its files were on stable storage */
    int64_t cpu;     /* ns of processor time until then */
};

struct replay_task {
    enum {
        REPLAY_WRITE,
        REPLAY_WRITE_SYNCED,    /* and sync each file before it is closed */
        REPLAY_WRITE_THEN_SYNC, /* and sync all files after they are closed */
        REPLAY_LEAVE,
    } what;
    int64_t started;
    bool meets;               /* the ranks meet in barriers before and after it */
    char directory[PATH_MAX]; /* the files go below it, by their whole paths */
};

struct replay_board {
    _Atomic uint32_t tasks;    /* count of tasks so far */
    _Atomic uint32_t finished; /* count of ends, by all ranks; the preparation counts as one */
    _Atomic uint32_t met;      /* count of arrivals at barriers so far */
    atomic_bool stopped;       /* the user has stopped the replay */
    struct replay_task task;
    struct replay_result results[];
};

/*
 * Maps the board behind a descriptor that other processes may inherit; makes both where `*fd` is 0.
 * NULL without memory, with errno.
 */
struct replay_board *replay_board_map(int *fd, int ranks);

/* Waits until `word` is no longer `value`, or `milliseconds` have passed. */
void replay_board_wait(_Atomic uint32_t *word, uint32_t value, int milliseconds);

/*
 * Waits until all ranks have come, or the round was stopped. Yields the core to ranks that still
 * write.
 */
void replay_board_meet(struct replay_board *board, uint32_t ranks);

/* Adds one to `word`, and wakes the processes that wait for that. */
void replay_board_advance(_Atomic uint32_t *word);
