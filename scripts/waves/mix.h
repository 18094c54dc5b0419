/*
 * The program "mix": sequences of calls of MPI that a seed decides, the same at all ranks. What is begun in one step may end
 * in a later one, by whatever function chance says. All results are the same in each run.
 */
#ifndef MIX_H
#define MIX_H

#include "corpus.h"

enum { SLOTS = 6, MOST_RANKS = 8, MOST = 8192, GIVEN = 2 * MOST };

/* How long the messages are and in which memory they lie. */
enum shape { PLAIN, STRIDED, TWO_BLOCKS, SHAPES };

/* An operation that is open. `kind` 0: none. */
struct slot {
    int64_t kind;
    int64_t step; /* in which it began */
    int64_t requests;
    MPI_Request open[MOST_RANKS + 1];
    int32_t in[GIVEN]; /* of several messages: in parts of count each */
    int32_t out[GIVEN];
};

/* All that changes, in protected memory. */
struct mix {
    int64_t step;
    uint64_t turn; /* of the shared chance */
    uint64_t hash;
    struct slot slots[SLOTS];
};

extern struct corpus corpus;
extern struct mix *mix;
extern MPI_Comm world, copy, half, ring,
    any; /* made before the first spot; `any` is for MPI_ANY_TAG alone */

/* Below `most`, the same at all ranks, and the next time another one. */
int chance(int most);

/* The data of a message: of the rank in its communicator, in its step. */
int32_t value(int64_t step, int rank, int i);

/* Goes into the result. */
void remember(const void *data, size_t bytes);

/* A datatype for `count` numbers, to be freed where it is used. */
MPI_Datatype shaped(enum shape shape, int count);

/* The i-th number of a message in memory of this shape. */
int place(enum shape shape, int count, int i);

/* Ends all that is open of the slot, by any of the functions that wait or test. */
void finish(struct slot *slot);

/* Messages, in mix_messages.c. A slot is empty before `begin`, and `end` ends it. */
void begin_messages(struct slot *slot, int number);
void end_messages(struct slot *slot, int number);
void messages_at_once(void);
void make_persistent(void);

/* Collectives, in mix_collectives.c. */
void begin_collective(struct slot *slot);
void end_collective(struct slot *slot);
void collectives_at_once(void);
void communicators_at_once(void);

#endif
