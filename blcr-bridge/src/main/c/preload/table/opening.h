/*
 * While a thread opens a file for the shim it says so in the segment, and the I/O process's guard lets the open
 * pass: what is open is told of before it is read or written. An open that nobody says so of waits until the
 * file is whole, since this process may open past the shim: by io_uring, or by instructions of its own as Go does.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The word that says so, which sluice_opening_end() takes back; NULL for none. */
_Atomic int64_t *sluice_opening_begin(void);

static inline void sluice_opening_end(_Atomic int64_t *word)
{
    if (word != NULL)
        atomic_store_explicit(word, 0, memory_order_release);
}

/* The result of `call`, an opening by the shim. */
#define SLUICE_OPENING(call)                                                                       \
    __extension__({                                                                                \
        _Atomic int64_t *const word_ = sluice_opening_begin();                                     \
        const __typeof__(call) opened_ = call;                                                     \
        sluice_opening_end(word_);                                                                 \
        opened_;                                                                                   \
    })
