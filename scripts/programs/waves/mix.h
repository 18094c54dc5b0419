/*
 * The program "mix": sequences of calls of MPI that a seed decides, the same at all ranks. A call
 * begun in one step may end in a later one, by whatever function chance says. All results are the
 * same in each run.
 */
#ifndef MIX_H
#define MIX_H

#include "corpus.h"

enum { SLOTS = 6, MOST_RANKS = 8, MOST = 8192, GIVEN = 2 * MOST };

/* The layout of a message's numbers in memory, and MPI's functions for it: mix_types.c. */
enum shape {
    PLAIN,
    STRIDED,
    TWO_BLOCKS,
    OF_BYTES,
    REVERSED,
    REVERSED_BYTES,
    STRUCT,
    RESIZED,
    SUBARRAY,
    DARRAY,
    COPIED,
    ABSOLUTE, /* from MPI_BOTTOM */
    SHAPES
};

/* The parts that a seed has or has not, so that none hides another. */
enum part { AHEAD, PAIRS_ANEW, FREED, CANCELLED, REFUSED, VECTORS, ASKED_STATUS, COMMUNICATORS };

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

/* A collective: of how many numbers, and of how many of each member. MPI may look at the arrays until it is complete. */
struct call {
    MPI_Comm comm;
    int rank, ranks, root, count;
    int32_t *out, *in;
    int counts[MOST_RANKS], places[MOST_RANKS];
    int sent[MOST_RANKS], bytes[MOST_RANKS];
    MPI_Aint apart[2];
    MPI_Datatype types[MOST_RANKS];
};

extern struct corpus corpus;
extern struct mix *mix;
extern MPI_Comm world, copy, half, ring,
    any; /* made before the first spot; `any` is for MPI_ANY_TAG alone */

/* Below `most`, the same at all ranks, and the next time another one. */
int chance(int most);

/* Returns whether the seed has the part: one of two has. */
bool has(enum part part);

/* The neighbors in the world. */
int to_right(void);
int to_left(void);

/* The data of a message: of the rank in its communicator, in its step. */
int32_t value(int64_t step, int rank, int i);

/* Goes into the result. */
void remember(const void *data, size_t bytes);

/* Ends all that is open of the slot, by any of the functions that wait or test. */
void finish(struct slot *slot);

/* A datatype for `count` numbers of this memory, to be freed where it is used, and where it is used from. */
MPI_Datatype shaped(enum shape shape, int count, const int32_t *memory);
void *from(enum shape shape, const int32_t *memory);

/* The i-th number of a message in memory of this shape. */
int place(enum shape shape, int count, int i);

/* Messages, in mix_messages.c. A slot is empty before `begin`, and `end` ends it. */
void begin_messages(struct slot *slot, int number);
void end_messages(struct slot *slot, int number);
void make_persistent(void);
void check_values(const int32_t *in, enum shape shape, int count, int64_t step, int from);

/* Sends messages that are over in a step, in mix_at_once.c. */
void messages_at_once(void);

/* Lives of requests, in mix_requests.c. */
void requests_begin(void);
void requests_step(void);
void requests_end(void);

/* Calls that MPI refuses, in mix_refused.c. */
void refused_begin(void);
void refused_step(void);

/* Collectives, in mix_collectives.c. */
void begin_collective(struct slot *slot);
void end_collective(struct slot *slot);
void collectives_at_once(void);

/*
 * Collectives of unequal parts, in place, or of neighbors, in mix_vectors.c: of `VECTORS_KINDS`
 * kinds. NULL: it blocks.
 */
enum { VECTORS_KINDS = 17 };
void vectors_begin(void);
void call_vector(struct call *call, int kind, int64_t step, MPI_Request *request);

/* Communicators, in mix_communicators.c. */
void communicators_begin(void);
void communicators_step(void);

#endif
