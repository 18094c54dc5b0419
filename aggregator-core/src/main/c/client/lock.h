/* A mutex that costs nothing in a process with one thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/single_threaded.h>
#include <time.h>

#include "presence.h"

struct sluice_lock {
    pthread_mutex_t mutex;
    bool taken; /* the holder's: it had to take the mutex */
};

static inline void sluice_lock_init(struct sluice_lock *lock)
{
    pthread_mutex_init(&lock->mutex, NULL);
    lock->taken = false;
}

/*
 * Takes the lock. A thread that writes the process down does not: all others stand still. The lock
 * would be written as taken, and nobody releases it in the restarted process. A process with one
 * thread stays so while that thread holds the lock, as nothing called under it starts a thread. The
 * process may go from many threads to one meanwhile, hence the note `taken`.
 */
static inline void sluice_lock_take(struct sluice_lock *lock)
{
    if (!__libc_single_threaded && !sluice_presence_writes_down()) {
        pthread_mutex_lock(&lock->mutex);
        lock->taken = true;
    }
}

static inline bool sluice_lock_try(struct sluice_lock *lock)
{
    if (!__libc_single_threaded && !sluice_presence_writes_down()) {
        if (pthread_mutex_trylock(&lock->mutex) != 0)
            return false;
        lock->taken = true;
    }
    return true;
}

/*
 * Takes a mutex, unless another thread holds it longer than any running thread does. Such a thread
 * is suspended while a checkpointer writes the process down.
 */
static inline bool sluice_lock_take_in_time(pthread_mutex_t *mutex)
{
    static const long longest = 200000000; /* ns */
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += longest;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(mutex, &end) == 0;
}

static inline void sluice_lock_release(struct sluice_lock *lock)
{
    if (lock->taken) {
        lock->taken = false;
        pthread_mutex_unlock(&lock->mutex);
    }
}
