/* One process of a trace, replayed. */
#ifndef SLUICE_REPLAY_RANK_H
#define SLUICE_REPLAY_RANK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "part.h"

/* In memory that all processes of the replay share. Times are of CLOCK_MONOTONIC, in ns. */
struct replay_board {
    _Atomic int32_t ready;   /* ranks that wait for the start */
    _Atomic int64_t started; /* when it was; 0 before */
    atomic_bool stopped;     /* by the user */
    struct replay_result {
        _Atomic int64_t writes;
        _Atomic int64_t bytes;
        int64_t nanos;   /* in open, write and close */
        int64_t ended;   /* when the last of them returned */
        int64_t durable; /* when its files were on stable storage */
    } results[];
};

struct replay_plan {
    const char *directory; /* the files go below it, by their whole paths */
    bool in_time;          /* make each write when it was made */
    int64_t longest_pause; /* otherwise, pauses of a process are kept up to this one, in ns */
    int64_t begin;         /* of the trace's first write */
};

int64_t replay_now(void);

/* Replays a part in the calling process. 0, or 1 after it has said why. */
int replay_rank_run(struct replay_part *part, const struct replay_plan *plan,
                    struct replay_board *board, struct replay_result *result);

/* Reads what was written, and compares it: 0, or 1 after it has said what differs. */
int replay_rank_verify(struct replay_part *part, const char *directory);

#endif
