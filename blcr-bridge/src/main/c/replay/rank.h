/* One process of a trace, replayed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "output.h"
#include "part.h"

struct replay_plan {
    enum replay_output output;
    bool rounds;           /* several, each where and when it is told; 1 otherwise */
    bool in_time;          /* make each write when it was made */
    int64_t longest_pause; /* otherwise, pauses of a process are kept up to this one, in ns */
    int64_t begin;         /* of the trace's first write */
    int64_t farthest;      /* where its farthest one ends */
    int64_t longest;       /* bytes of its longest one */
    int ranks;
};

/* Names a file below a directory; false if the path gets too long. */
bool replay_name(const char *directory, const char *path, char target[PATH_MAX]);

/* Creates the directories above the files of a part. */
void replay_make_directories(const struct replay_part *part, const char *directory);

/*
 * Replays a part in the calling process, which it ends with 0 when it is told to leave, and with 1 after it
 * has said why. `warm_up` is a directory to make an I/O process known to this one in, or NULL.
 */
_Noreturn void replay_rank_run(struct replay_part *part, const struct replay_plan *plan,
                               const char *warm_up, struct replay_board *board,
                               struct replay_result *result);

/* Reads what was written, and compares it: 0, or 1 after it has said what differs. */
int replay_verify(struct replay_part *part, const char *directory);
