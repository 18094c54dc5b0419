/* What a call does before and while it waits. */
#pragma once

#include <stdint.h>

#include "clock.h"
#include "layer.h"

/* Lets the layer get on: messages of the coordinator, and what the wave waits for. */
void sluice_mpi_progress(void);

/* The same where a call waits; the caller looks again then. `round` begins with 0. */
void sluice_mpi_wait(unsigned round);

static inline uint64_t sluice_mpi_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}

static inline void sluice_mpi_look(void)
{
    if (__builtin_expect(sluice_mpi_ticks() >= sluice_mpi.look_at, 0))
        sluice_mpi_progress();
}

/*
 * At the beginning of each call that may wait, or is the end of what others began: there is one soon. To read the
 * counter takes longer than the rest of a call, so every 32nd does. A spot, where a wave begins, looks each time.
 */
static inline void sluice_mpi_poll(void)
{
    if (__builtin_expect(++sluice_mpi.polls % 32 == 0 || sluice_mpi.busy, 0))
        sluice_mpi_look();
}

/*
 * Where the program neither waits nor asks. Open MPI goes on with copies that were begun wherever a rank looks for
 * messages. Each step of a copy takes the next number of the parent's collectives, which at another rank one of the
 * program's may have. A program that looks for nothing between the two is right, so the layer must not look either.
 */
static inline void sluice_mpi_look_between(void)
{
    if (__builtin_expect(sluice_mpi.copying == 0, 1))
        sluice_mpi_look();
}

static inline void sluice_mpi_poll_between(void)
{
    if (__builtin_expect(sluice_mpi.copying == 0, 1))
        sluice_mpi_poll();
}
