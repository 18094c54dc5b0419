/* The clock of rates, waits and openings. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Returns a clock of the kernel, in nanoseconds; 0 where there is none. */
static inline int64_t sluice_clock_of(clockid_t clock)
{
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Returns CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t sluice_clock(void)
{
    return sluice_clock_of(CLOCK_MONOTONIC);
}

static inline int64_t sluice_clock_ms(void)
{
    return sluice_clock() / 1000000;
}
