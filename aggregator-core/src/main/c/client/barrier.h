/*
 * The fence between an append and the check of its image's state. The kernel does it for us where
 * possible.
 */
#pragma once

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/single_threaded.h>

#include "kernel.h"

/*
 * Registers this process with the kernel, so that the kernel fences for it when the I/O process
 * asks. Returns true if the process is registered. Only a process with one thread registers: with
 * more threads the kernel takes milliseconds. Threads that start later are included.
 */
static inline bool sluice_barrier_register(void)
{
    return __libc_single_threaded
        && sluice_kernel_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

/*
 * Orders a store before a load. With `by_kernel` only the compiler is kept from reordering them.
 * The other side stores, has the kernel fence our processor, and loads. If that fence falls before
 * our load, our load sees the other side's store. If it falls after our load, the other side sees
 * our earlier store.
 */
static inline void sluice_barrier(bool by_kernel)
{
    if (by_kernel)
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
}
