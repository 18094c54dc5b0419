#include "opening.h"

#include "capture.h"
#include "kernel.h"
#include "openings.h"
#include "segment.h"

/* Begins an opening. A signal handler that interrupts one leaves the word alone. */
_Atomic int64_t *sluice_opening_begin(void)
{
    const struct sluice_segment *segment = sluice_capture_segment();
    if (segment == NULL
        || atomic_load_explicit(&segment->header->guarded, memory_order_relaxed) == 0) {
        return NULL;
    }
    const long process = sluice_kernel_call(SYS_getpid, 0);
    const long thread = sluice_kernel_call(SYS_gettid, 0);
    const int64_t said = process << 32 | thread;
    _Atomic int64_t *word = segment->header->openings + sluice_openings_index((pid_t)thread);
    if (atomic_load_explicit(word, memory_order_relaxed) == said)
        return NULL;
    atomic_store_explicit(word, said, memory_order_release);
    return word;
}
