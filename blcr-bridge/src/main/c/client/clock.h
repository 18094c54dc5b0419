/* The time that rates, waits and openings are told in. */
#pragma once

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t sluice_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* The same in milliseconds. */
static inline int64_t sluice_clock_ms(void)
{
    return sluice_clock() / 1000000;
}
