/*
 * Queues in memory that the kernel and a program share. Their operations call no function, so all
 * files of the process are direct from the first queue on. The libraries call the kernel by
 * themselves; the shim sees only the function that makes a queue. A ring made by the program's own
 * instruction is not seen at all. So its descriptor is looked for, at each opening whose number is
 * a power of two.
 */
#include "queues.h"

#include <dirent.h>
#include <errno.h>
#include <linux/aio_abi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "image.h"
#include "kernel.h"
#include "real.h"
#include "symbol.h"
#include "tell.h"

static void before_queue(int reason)
{
    if (sluice_capture_on() && !sluice_guard_inside())
        sluice_images_go_direct(reason);
}

/*
 * Defines a wrapper of a library's function, which need not exist. Such functions return a negative
 * errno.
 */
#define QUEUE(name, reason, parameters, arguments)                                                 \
    int name parameters;                                                                           \
    SLUICE_WRAPPER int name parameters                                                             \
    {                                                                                              \
        int(*made) parameters = (int(*) parameters)sluice_symbol_loaded(#name);                    \
        before_queue(reason);                                                                      \
        return made != NULL ? made arguments : -ENOSYS;                                            \
    }

#define AIO(name, parameters, arguments) QUEUE(name, SLUICE_REASON_AIO, parameters, arguments)
#define RING(name, parameters, arguments) QUEUE(name, SLUICE_REASON_IO_URING, parameters, arguments)

AIO(io_setup, (int events, aio_context_t *context), (events, context))
AIO(io_queue_init, (int events, aio_context_t *context), (events, context))
RING(io_uring_setup, (unsigned entries, void *parameters), (entries, parameters))
RING(io_uring_queue_init, (unsigned entries, void *ring, unsigned flags), (entries, ring, flags))
RING(io_uring_queue_init_params, (unsigned entries, void *ring, void *parameters),
     (entries, ring, parameters))
RING(io_uring_queue_init_mem,
     (unsigned entries, void *ring, void *parameters, void *memory, size_t size),
     (entries, ring, parameters, memory, size))

static bool is_ring(int directory, const char *name)
{
    static const char ring[] = "anon_inode:[io_uring]";
    char target[sizeof ring];
    return sluice_kernel_call(SYS_readlinkat, directory, (long)name, (long)target, sizeof target)
        == sizeof ring - 1
        && memcmp(target, ring, sizeof ring - 1) == 0;
}

/* Looks for a ring in the kernel's list of the process's descriptors. */
static bool has_ring_listed(int directory)
{
    _Alignas(struct dirent64) char entries[2048];
    for (;;) {
        const long length =
            sluice_kernel_call(SYS_getdents64, directory, (long)entries, sizeof entries);
        if (length <= 0)
            return false;
        for (long at = 0; at < length;) {
            const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
            if (is_ring(directory, entry->d_name))
                return true;
            at += entry->d_reclen;
        }
    }
}

static bool has_ring(void)
{
    const int directory = sluice_kernel_open("/proc/thread-self/fd", O_RDONLY | O_DIRECTORY);
    if (directory < 0)
        return false;
    const bool has = has_ring_listed(directory);
    sluice_kernel_close(directory);
    return has;
}

static atomic_uint openings;

static void found(bool too_late)
{
    sluice_images_go_direct(SLUICE_REASON_IO_URING);
    if (too_late) {
        sluice_tell("%s has made a ring of io_uring by itself, which was found late; what that "
                    "read of files"
                    " that this process had written may be short, and what it wrote there be lost",
                    program_invocation_name);
    }
}

void sluice_queues_look(void)
{
    const unsigned before = atomic_fetch_add_explicit(&openings, 1, memory_order_relaxed);
    if ((before & (before + 1)) == 0 && sluice_images_all_direct() == SLUICE_REASON_NONE
        && has_ring()) {
        found(before > 0);
    }
}

void sluice_queues_look_last(void)
{
    if (sluice_capture_on() && !sluice_guard_inside()
        && sluice_images_all_direct() == SLUICE_REASON_NONE && has_ring()) {
        found(atomic_load_explicit(&openings, memory_order_relaxed) > 0);
    }
}
