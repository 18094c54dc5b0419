/*
 * Queues in memory that the kernel and a program share. Their operations pass no function, so from
 * the first queue on all files of the process are direct. The libraries make their calls to the
 * kernel by themselves; what can be seen of them is the function that makes a queue.
 */
#include <linux/aio_abi.h>
#include <stddef.h>

#include "capture.h"
#include "guard.h"
#include "open.h"
#include "real.h"
#include "symbol.h"

static void before_queue(int reason)
{
    if (sluice_capture_on() && !sluice_guard_inside())
        sluice_open_directly(reason);
}

/* As declared by the libraries, which need not be there. They return a negative errno. */
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
