/*
 * Marks a thread as inside the shim, where it may hold locks. A wrapper that finds the mark is
 * called by the client code beneath; it takes no lock and makes the real call.
 *
 * A signal handler never runs inside: handler.c puts the signal off until the guard is left. The
 * kernel does the same while it writes to a file. So a handler acts before the call that it
 * interrupts, or after it, as in a plain run. Exempt are signals raised by an instruction or by
 * abort(), and handlers set without the C library's sigaction() and signal(). Calls of such
 * handlers bypass the log.
 *
 * The guard also keeps cancellation out, which would leave a lock behind, and errno as it was.
 */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "presence.h"

/*
 * The guard of one thread. Between the thread and its handlers, the order is that of the program
 * text. A handler sees a depth above 0 for as long as a lock may be held. The thread reads
 * `deferred` after its depth is 0 again.
 */
struct sluice_guard {
    volatile sig_atomic_t depth;
    volatile sig_atomic_t held;     /* count of reasons to put signals off though no lock is held */
    volatile sig_atomic_t deferred; /* some signals wait */
    int cancellation;
    int error;
    unsigned life;    /* the one in which the thread entered */
    sigset_t waiting; /* the waiting signals, blocked meanwhile */
};

extern _Thread_local struct sluice_guard sluice_guard __attribute__((tls_model("initial-exec")));

/* Lets the kernel deliver the signals that wait. */
void sluice_guard_deliver(void);

/*
 * Leaves the guard, and returns true, if this thread entered it in a former life and wrote the
 * process down. In the restarted process it goes on outside of the shim.
 */
bool sluice_guard_left_behind(void);

static inline bool sluice_guard_inside(void)
{
    return sluice_guard.depth > 0
        && !(__builtin_expect(atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire)
                                  || !sluice_presence_counts(sluice_guard.life),
                              0)
             && sluice_guard_left_behind());
}

/* Returns whether a handler must not run now. */
static inline bool sluice_guard_defers(void)
{
    return sluice_guard_inside() || sluice_guard.held > 0;
}

/* Delivers the waiting signals after a change that may have let handlers in again. */
static inline void sluice_guard_deliver_if_due(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(sluice_guard.deferred, 0) && !sluice_guard_defers())
        sluice_guard_deliver();
}

static inline void sluice_guard_enter(void)
{
    int error = errno;
    const int depth = sluice_guard_inside() ? sluice_guard.depth : 0;
    sluice_guard.depth = depth + 1;
    atomic_signal_fence(memory_order_seq_cst);
    if (depth == 0) {
        sluice_guard.error = error;
        sluice_guard.life = atomic_load_explicit(&sluice_presence_life, memory_order_relaxed);
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &sluice_guard.cancellation);
    }
}

static inline void sluice_guard_leave(void)
{
    const int depth = sluice_guard.depth;
    if (depth == 1) {
        pthread_setcancelstate(sluice_guard.cancellation, NULL);
        errno = sluice_guard.error;
    }
    atomic_signal_fence(memory_order_seq_cst);
    sluice_guard.depth = depth - 1;
    sluice_guard_deliver_if_due();
}

/*
 * Keeps handlers out of a call made in two steps, between which a descriptor is neither ours nor
 * the kernel's. Wrappers called meanwhile work as usual.
 */
static inline void sluice_guard_hold(void)
{
    sluice_guard.held = sluice_guard.held + 1;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void sluice_guard_release(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    sluice_guard.held = sluice_guard.held - 1;
    sluice_guard_deliver_if_due();
}

/* Returns `result` as the wrapper of a system call does: -1 and errno for a negative errno. */
static inline long sluice_guard_result(long result)
{
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}
