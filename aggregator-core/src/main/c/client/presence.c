#include "presence.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "kernel.h"

#define SECOND INT64_C(1000000000)

atomic_bool sluice_presence_doubted;

static _Atomic int64_t until;
static atomic_bool lost;
static _Atomic(pthread_t) doubter; /* the thread that writes the process down; 0 for none */

void sluice_presence_doubt(void)
{
    atomic_store_explicit(&until, sluice_clock() + SECOND, memory_order_relaxed);
    atomic_store_explicit(&sluice_presence_doubted, true, memory_order_release);
}

void sluice_presence_doubt_until_resumed(void)
{
    atomic_store_explicit(&doubter, pthread_self(), memory_order_relaxed);
    sluice_presence_doubt();
}

bool sluice_presence_writes_down(void)
{
    return atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire)
        && atomic_load_explicit(&doubter, memory_order_relaxed) == pthread_self();
}

/* Reads the address as a mask of signals, with an operation that the kernel then finds invalid. */
bool sluice_presence_readable(const void *address)
{
    return sluice_kernel_call(SYS_rt_sigprocmask, -1, (long)address, 0, sizeof(int64_t)) != -EFAULT;
}

void sluice_presence_lost(void)
{
    atomic_store_explicit(&lost, true, memory_order_relaxed);
    atomic_store_explicit(&sluice_presence_doubted, true, memory_order_release);
}

void sluice_presence_found(void)
{
    const pthread_t writer = atomic_load_explicit(&doubter, memory_order_relaxed);
    if (atomic_load_explicit(&lost, memory_order_relaxed))
        return;
    if (writer != 0 ? writer == pthread_self()
                    : sluice_clock() < atomic_load_explicit(&until, memory_order_relaxed)) {
        return;
    }
    atomic_store_explicit(&doubter, 0, memory_order_relaxed);
    atomic_store_explicit(&sluice_presence_doubted, false, memory_order_release);
}

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

struct sluice_mapper sluice_presence_mapper(void)
{
    return (struct sluice_mapper){(int32_t)sluice_kernel_call(SYS_getpid), start_time()};
}

bool sluice_presence_is(const struct sluice_mapper *mapper)
{
    return mapper->pid == sluice_kernel_call(SYS_getpid) && mapper->started == start_time();
}
