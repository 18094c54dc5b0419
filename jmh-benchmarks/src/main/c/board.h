/*
 * What the node program and its ranks share: the order to write a checkpoint, and what came of it.
 *
 * The node program writes the order, then adds one to `orders` (release); a rank that sees the new
 * number (acquire) reads the order. Each rank writes its own result, then adds one to `finished`
 * (release); the node program reads the results when all have. Nobody writes what another reads
 * meanwhile, and each waits in the kernel, so that a waiting rank takes no core from another.
 */
#ifndef BOARD_H
#define BOARD_H

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>

#define BOARD_MAX_RANKS 128

struct board_result {
    int64_t opening; /* CLOCK_MONOTONIC, ns: before the image is opened */
    int64_t started; /* before its first write */
    int64_t ended;   /* after its close */
    int64_t cpu;     /* ns of processor time in between */
    char error[256]; /* empty when all went well */
};

struct board {
    _Atomic uint32_t orders;
    _Atomic uint32_t finished;
    int sync; /* whether each rank syncs its image before it closes it */
    char directory[PATH_MAX];
    struct board_result results[BOARD_MAX_RANKS];
};

/* Maps the board of a shared memory file. Returns NULL, and errno is set, when that fails. */
struct board *board_map(int fd);

/* Waits until `word` is no longer `value`, or `milliseconds` have passed. */
void board_wait(_Atomic uint32_t *word, uint32_t value, int milliseconds);

void board_wake(_Atomic uint32_t *word);

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t board_now(void);

#endif
