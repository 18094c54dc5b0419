/* The work of the layer at the beginning of a call, and while it waits. */
#pragma once

#include <stdint.h>

#include "clock.h"
#include "layer.h"

/* Makes progress: with messages of the coordinator, and with the wave. */
void sluice_mpi_progress(void);

/*
 * Makes progress where a call waits, and pauses; the caller looks again then. `round` begins with
 * 0.
 */
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
 * Looks for orders at the beginning of each call that may wait, or ends what others began: such
 * calls are frequent. Reading the counter takes longer than the rest of a call, so every 32nd does.
 * A spot, where a wave begins, looks each time.
 */
static inline void sluice_mpi_poll(void)
{
    if (__builtin_expect(++sluice_mpi.polls % 32 == 0 || sluice_mpi.busy, 0))
        sluice_mpi_look();
}

/*
 * Looks for orders where the program neither waits nor asks, unless a communicator is being copied.
 * Open MPI goes on with begun copies wherever a rank looks for messages. Each step of a copy takes
 * the next number of the parent's collectives. At another rank a collective of the program may have
 * that number. A program that looks for no message between the two is correct, so the layer must
 * not look either.
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
