/* Ranks that are programs of their own, as those that a launcher starts. */
#pragma once

#include <stdbool.h>

/* The first argument of such a rank, with its number and the descriptor of the board behind it. */
#define REPLAY_FRESH_RANK "--rank="

struct replay_fresh {
    bool wanted;
    const char *library; /* the library that each rank loads at its start; NULL for none */
    char **arguments;    /* of this program, whose rank gets them, too */
    bool is_rank;        /* this process is one */
    int rank;
    int board; /* descriptor of the board */
};

/* Becomes the rank of a number. Ends the process after a line that says why not. */
_Noreturn void replay_fresh_exec(const struct replay_fresh *fresh, int rank);

/* Reads the text behind REPLAY_FRESH_RANK; false if it is none. */
bool replay_fresh_read(struct replay_fresh *fresh, const char *text);

/* Ends the process with a line unless the library is loaded. */
void replay_fresh_check(const struct replay_fresh *fresh);
