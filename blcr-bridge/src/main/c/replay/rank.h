/* A process of a trace, replayed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "output.h"
#include "part.h"

struct replay_plan {
    enum replay_output output;
    bool rounds;           /* several rounds, each on order; else one */
    bool computes;         /* take a core between rounds */
    bool in_time;          /* make each write at its time in the trace */
    int64_t longest_pause; /* otherwise, the longest pause that is kept, in ns */
    int64_t begin;         /* time of the trace's first write */
    int64_t farthest;      /* end of the farthest write, in bytes */
    int64_t longest;       /* bytes of the longest write */
    int ranks;
};

/* Names a file below a directory; false if the path gets too long. */
bool replay_name(const char *directory, const char *path, char target[PATH_MAX]);

/* Creates the directories above the files of a part. */
void replay_make_directories(const struct replay_part *part, const char *directory);

/*
 * Replays a part in this process. Ends the process with 0 on order, and with 1 after a line that
 * says why. `warm_up` is a directory for a first file that makes an I/O process known, or NULL.
 */
_Noreturn void replay_rank_run(struct replay_part *part, const struct replay_plan *plan,
                               const char *warm_up, struct replay_board *board,
                               struct replay_result *result);

/* Reads the files and compares them: 0, or 1 after a line about the difference. */
int replay_verify(struct replay_part *part, const char *directory);
