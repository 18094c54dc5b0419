/* What the exercisers share: a check that says where it failed, and a random sequence by seed. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long step; /* which operation a failed check was in */

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: step %ld: %s: not true; errno=%d (%s)\n", __FILE__, __LINE__,  \
                    step, #condition, errno, strerror(errno));                                     \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_EQUAL(actual, expected)                                                              \
    do {                                                                                           \
        const long long actual_ = (long long)(actual), expected_ = (long long)(expected);          \
        if (actual_ != expected_) {                                                                \
            fprintf(stderr, "%s:%d: step %ld: %s: is %lld, expected %lld; errno=%d (%s)\n",        \
                    __FILE__, __LINE__, step, #actual, actual_, expected_, errno,                  \
                    strerror(errno));                                                              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static uint64_t random_state;

static inline void random_seed(uint64_t seed)
{
    random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
}

/* Below `limit`, which is not 0. */
static inline uint64_t random_below(uint64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % limit;
}

static inline void random_fill(void *data, size_t length)
{
    unsigned char *bytes = (unsigned char *)data;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)random_below(251) + 1;
}

/* Mostly small, now and then `largest`. */
static inline size_t random_length(size_t largest)
{
    const size_t limits[] = {8, 64, 64, 512, 4096, 4096, 65536, largest};
    const size_t limit = limits[random_below(sizeof limits / sizeof *limits)];
    return 1 + random_below(limit < largest ? limit : largest);
}
