/* The fence between an append and the look at its image's state, where the kernel can do without. */
#pragma once

#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/single_threaded.h>

#include "kernel.h"

/*
 * Whether the kernel fences for this process from now on, when the I/O process asks it to. Only in
 * a process with one thread: in others the kernel takes milliseconds to register it. Threads that
 * start later are registered with it.
 */
static inline bool sluice_barrier_register(void)
{
    return __libc_single_threaded
        && sluice_kernel_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

/*
 * Between a store and a load. `by_kernel`: only the compiler is kept from changing their order; the
 * other side stores, has the kernel fence our processor, and loads. That fence falls before our
 * load, which then sees the store of the other side, or after it, and then the other side sees our
 * store, which came first.
 */
static inline void sluice_barrier(bool by_kernel)
{
    if (by_kernel)
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
}
