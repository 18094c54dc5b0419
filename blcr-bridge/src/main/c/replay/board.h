/*
 * What the replay and its ranks share: what is to be done, and what came of it.
 *
 * The replay writes the task, then adds one to `tasks` (release); a rank that sees the new number
 * (acquire) reads the task. Each rank writes its own result, then adds one to `finished` (release); the
 * replay reads the results when all have. What a rank has written so far may be read meanwhile. Each
 * waits in the kernel, so that a waiting rank takes no core from another. Before and behind a round that is
 * measured the ranks meet in a barrier, in which they spin as those of an MPI program do.
 */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Times are of CLOCK_MONOTONIC, in ns. */
struct replay_result {
    _Alignas(128) _Atomic int64_t writes;
    _Atomic int64_t bytes;
    int64_t opened;  /* before the first file was */
    int64_t began;   /* before the first write */
    int64_t ended;   /* when the last call returned */
    int64_t paused;  /* in between, ns */
    int64_t durable; /* when its files were on stable storage */
    int64_t cpu;     /* ns of processor time until then */
};

struct replay_task {
    enum {
        REPLAY_WRITE,
        REPLAY_WRITE_SYNCED,    /* each file before it is closed */
        REPLAY_WRITE_THEN_SYNC, /* all files after they are closed */
        REPLAY_LEAVE,
    } what;
    int64_t started;
    bool meets;               /* in barriers before and behind it */
    char directory[PATH_MAX]; /* the files go below it, by their whole paths */
};

struct replay_board {
    _Atomic uint32_t tasks;    /* so far */
    _Atomic uint32_t finished; /* by all ranks; to get ready counts as one */
    _Atomic uint32_t met;      /* ranks that came to a barrier so far */
    atomic_bool stopped;       /* by the user */
    struct replay_task task;
    struct replay_result results[];
};

/* Waits until `word` is no longer `value`, or `milliseconds` have passed. */
void replay_board_wait(_Atomic uint32_t *word, uint32_t value, int milliseconds);

/* Waits until all ranks have come, or the round was stopped; gives the core to those that still write. */
void replay_board_meet(struct replay_board *board, uint32_t ranks);

/* Adds one to `word`, and wakes those who wait for that. */
void replay_board_advance(_Atomic uint32_t *word);
