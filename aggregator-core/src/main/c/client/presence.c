#include "presence.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "kernel.h"

#define SECOND INT64_C(1000000000)

/* The time for which the look at a start time counts, in nanoseconds: no restart is as fast. */
#define FRESH (SECOND / 100)

#define PID_BITS 22

atomic_bool sluice_presence_doubted;
atomic_uint sluice_presence_life;

static _Atomic int64_t until;
static _Atomic int64_t identity;   /* of the process that had the doubt first */
static _Atomic int64_t looked;     /* when its start time was looked at */
static _Atomic(pthread_t) doubter; /* the thread that writes the process down; 0 for none */
static _Atomic(pthread_t) wrote;   /* the one that wrote down what was restarted as this process */

/*
 * Returns field 22 of /proc/self/stat. The second field may hold any character, so the count starts
 * at its end.
 */
static int64_t start_time(void)
{
    char stat[1024];
    const int fd = sluice_kernel_open("/proc/self/stat", O_RDONLY);
    const ssize_t length = fd < 0 ? -1 : sluice_kernel_pread(fd, stat, sizeof stat - 1, 0);
    sluice_kernel_close(fd);
    stat[length < 0 ? 0 : length] = 0;
    const char *field = strrchr(stat, ')');
    for (int number = 2; field != NULL && number < 22; number++)
        field = strchr(field + 1, ' ');
    return field == NULL ? 0 : strtoll(field, NULL, 10);
}

static int64_t identify(void)
{
    atomic_store_explicit(&looked, sluice_clock(), memory_order_relaxed);
    return start_time() << PID_BITS | sluice_kernel_call(SYS_getpid);
}

static bool is_identical(int64_t known)
{
    const int64_t since = sluice_clock() - atomic_load_explicit(&looked, memory_order_relaxed);
    if ((known & ((1 << PID_BITS) - 1)) != sluice_kernel_call(SYS_getpid))
        return false;
    return (since >= 0 && since < FRESH) || known == identify();
}

/* Where several threads find the process restarted at a time, the first begins the life. */
void sluice_presence_look(void)
{
    unsigned life = atomic_load_explicit(&sluice_presence_life, memory_order_acquire);
    if (!atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire)
        || is_identical(atomic_load_explicit(&identity, memory_order_acquire))) {
        return;
    }
    const pthread_t writer = atomic_exchange(&doubter, 0);
    if (writer != 0)
        atomic_store_explicit(&wrote, writer, memory_order_relaxed);
    atomic_compare_exchange_strong(&sluice_presence_life, &life, life + 1);
    atomic_store_explicit(&identity, identify(), memory_order_release);
}

bool sluice_presence_wrote(void)
{
    return atomic_load_explicit(&wrote, memory_order_relaxed) == pthread_self();
}

void sluice_presence_doubt(void)
{
    if (atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire))
        sluice_presence_look();
    else
        atomic_store_explicit(&identity, identify(), memory_order_release);
    atomic_store_explicit(&until, sluice_clock() + SECOND, memory_order_relaxed);
    atomic_store_explicit(&sluice_presence_doubted, true, memory_order_release);
}

void sluice_presence_doubt_until_resumed(void)
{
    sluice_presence_doubt();
    atomic_store_explicit(&doubter, pthread_self(), memory_order_relaxed);
}

bool sluice_presence_is_writer(void)
{
    return atomic_load_explicit(&doubter, memory_order_relaxed) == pthread_self();
}

/* Reads the address as a mask of signals, with an operation that the kernel then finds invalid. */
bool sluice_presence_readable(const void *address)
{
    return sluice_kernel_call(SYS_rt_sigprocmask, -1, (long)address, 0, sizeof(int64_t)) != -EFAULT;
}

void sluice_presence_found(void)
{
    const pthread_t writer = atomic_load_explicit(&doubter, memory_order_relaxed);
    if (writer != 0 ? writer == pthread_self()
                    : sluice_clock() < atomic_load_explicit(&until, memory_order_relaxed)) {
        return;
    }
    atomic_store_explicit(&doubter, 0, memory_order_relaxed);
    atomic_store_explicit(&sluice_presence_doubted, false, memory_order_release);
}

struct sluice_mapper sluice_presence_mapper(void)
{
    return (struct sluice_mapper){(int32_t)sluice_kernel_call(SYS_getpid), start_time()};
}

bool sluice_presence_is(const struct sluice_mapper *mapper)
{
    return mapper->pid == sluice_kernel_call(SYS_getpid) && mapper->started == start_time();
}
