/*
 * Marks a thread as inside the shim. A wrapper that finds the mark is called either by the client
 * code beneath, or by a signal handler that interrupted it; both times a lock may be held by this
 * very thread, so the wrapper takes none and makes the real call.
 *
 * The guard also keeps cancellation out, which would leave a lock behind, and errno as it was.
 */
#ifndef SLUICE_PRELOAD_GUARD_H
#define SLUICE_PRELOAD_GUARD_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

struct sluice_guard {
    int depth;
    int cancellation;
    int error;
};

extern _Thread_local struct sluice_guard sluice_guard __attribute__((tls_model("initial-exec")));

static inline bool sluice_guard_inside(void)
{
    return sluice_guard.depth > 0;
}

static inline void sluice_guard_enter(void)
{
    int error = errno;
    if (sluice_guard.depth++ == 0) {
        sluice_guard.error = error;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &sluice_guard.cancellation);
    }
}

static inline void sluice_guard_leave(void)
{
    if (sluice_guard.depth == 1) {
        pthread_setcancelstate(sluice_guard.cancellation, NULL);
        errno = sluice_guard.error;
    }
    sluice_guard.depth--;
}

/* `result` as a system call's wrapper returns it: -1 and errno for a negative errno. */
static inline long sluice_guard_result(long result)
{
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

#endif
