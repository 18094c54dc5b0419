/* A node's real-time clock, which no namespace has: ahead of the machine's by CLOCK_AHEAD seconds. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t ahead(void)
{
    const char *seconds = getenv("CLOCK_AHEAD");
    return seconds == NULL ? 0 : atol(seconds);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += ahead();
    return result;
}

/* Until a time of that clock: the kernel, which waits, has the machine's. No node is up since 1970. */
int pthread_cond_timedwait(pthread_cond_t *restrict event, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until)
{
    const bool real = until->tv_sec > 1000000000;
    const struct timespec time = {until->tv_sec - (real ? ahead() : 0), until->tv_nsec};
    return pthread_cond_clockwait(event, mutex, real ? CLOCK_REALTIME : CLOCK_MONOTONIC, &time);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    const int result = (int)syscall(SYS_gettimeofday, now, zone);
    now->tv_sec += result == 0 ? ahead() : 0;
    return result;
}

time_t time(time_t *where)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where != NULL)
        *where = now.tv_sec;
    return now.tv_sec;
}
