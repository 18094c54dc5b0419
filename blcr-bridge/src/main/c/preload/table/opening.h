/*
 * Words in the segment by which a thread says that the shim opens a file for it. The I/O process's
 * guard lets such an open pass, since the shim announces the file before it is read or written. Any
 * other open waits until the file is whole. This process may open files past the shim: by io_uring,
 * or by its own instructions as Go does.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Marks this thread's word, which sluice_opening_end() clears. Returns NULL if no word is needed.
 */
_Atomic int64_t *sluice_opening_begin(void);

static inline void sluice_opening_end(_Atomic int64_t *word)
{
    if (word != NULL)
        atomic_store_explicit(word, 0, memory_order_release);
}

/* Calls `call`, an opening by the shim, and returns its result. */
#define SLUICE_OPENING(call)                                                                       \
    __extension__({                                                                                \
        _Atomic int64_t *const word_ = sluice_opening_begin();                                     \
        const __typeof__(call) opened_ = call;                                                     \
        sluice_opening_end(word_);                                                                 \
        opened_;                                                                                   \
    })
