#include "progress.h"

#include <sched.h>

#include "clock.h"
#include "completion.h"
#include "control.h"
#include "handle.h"
#include "layer.h"
#include "protocol.h"
#include "rehearsal.h"
#include "wave.h"

/*
 * The time between two looks for orders of the coordinator. A look takes up to half a microsecond:
 * Open MPI may give the processor away in it. A rank without a part in a wave can hear of the next
 * one later.
 */
#define LOOK_NANOS 20000
#define IDLE_LOOKS 10

static uint64_t ticks_between;
static bool within; /* an order may come while one is carried out */

/* Measures the ticks of the counter, once, over a tenth of a millisecond. */
static void measure(void)
{
    const int64_t began = sluice_clock();
    const uint64_t ticks = sluice_mpi_ticks();
    int64_t now;
    do {
        now = sluice_clock();
    } while (now - began < 100000);
    ticks_between = (sluice_mpi_ticks() - ticks) * LOOK_NANOS / (now - began) + 1;
}

static void end_freed(void)
{
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL;) {
        struct sluice_mpi_handle *next = one->next;
        if (one->freed && sluice_mpi_handle_look(one))
            sluice_mpi_handle_end(one);
        one = next;
    }
}

static void advance(void)
{
    if (sluice_mpi_control_look(sluice_mpi_order))
        sluice_mpi_hello(true);
    if (sluice_mpi.busy) {
        sluice_mpi.protocol->progress();
        sluice_mpi_look_busy(); /* the last message of a recovery may have left in here */
    }
    sluice_mpi_rehearsal_look();
    if (sluice_mpi.freed_requests > 0 && sluice_mpi.wave == 0) /* a wave itself says when to look */
        end_freed();
}

void sluice_mpi_progress(void)
{
    if (ticks_between == 0)
        measure();
    if (sluice_mpi.session != NULL && !within) {
        within = true;
        advance();
        within = false;
    }
    sluice_mpi.look_at =
        sluice_mpi_ticks() + (sluice_mpi.busy ? ticks_between : ticks_between * IDLE_LOOKS);
}

/* Waits a little, and leaves the processor to others: the rank may be one of many on a core. */
void sluice_mpi_wait(unsigned round)
{
    sluice_mpi_progress();
    if (round > 20)
        sched_yield();
    if (round > 2000)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}
