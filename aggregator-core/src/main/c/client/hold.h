/*
 * What tells a process that its slot is still its own.
 *
 * A checkpointer brings a process back with the memory it had, when its slot may be another's, or
 * where another session's segment lies at the old one's path; the child of a bare clone() has its
 * parent's mapping. None of our code runs before it goes on. So it looks before it stores into the
 * segment: at each append, and after whatever it waited for. It compares the session, the slot's
 * state and its generation with what it was given. A page remembers that, which the kernel empties
 * in a child. That takes loads from lines that stay in the cache, as they change at an attach only,
 * and no system call.
 *
 * The mapping itself may be gone; presence.h says when that is looked at.
 *
 * Two things it cannot see: that it was dumped between the look and the store, and that the slot is
 * its original's, which still runs or whose end the I/O process has not noticed.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "presence.h"
#include "sluice_layout.h"

/* On a page of its own. */
struct sluice_given {
    _Atomic int64_t session_id;
    _Atomic int64_t generation; /* of the slot; 0 once it is known to be lost */
};

struct sluice_hold {
    struct sluice_header *header;
    struct sluice_slot *slot; /* one that nobody has while the mapping is not this process's own */
    struct sluice_slot *mapped; /* where it was mapped */
    struct sluice_given *given;
    struct sluice_mapper mapper;
    bool gone; /* it is not coming back: this process was brought back without it */
};

/* False without memory. */
bool sluice_hold_take(struct sluice_hold *hold, struct sluice_header *header,
                      struct sluice_slot *slot);
void sluice_hold_free(struct sluice_hold *hold);

/* While there is a doubt: finds out whether the segment is still mapped. */
void sluice_hold_look(struct sluice_hold *hold);

/* Whether something else is mapped over the segment of a slot that is not held, and comes off
 * later. */
static inline bool sluice_hold_away(const struct sluice_hold *hold)
{
    return hold->slot != hold->mapped && !hold->gone;
}

/* The state is stored last at an attach, so it is loaded first. */
static inline bool sluice_hold_valid(struct sluice_hold *hold)
{
    if (__builtin_expect(atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire), 0))
        sluice_hold_look(hold);
    return atomic_load_explicit(&hold->slot->state, memory_order_acquire)
        == SLUICE_SLOT_STATE_ATTACHED
        && atomic_load_explicit(&hold->slot->generation, memory_order_relaxed)
        == atomic_load_explicit(&hold->given->generation, memory_order_relaxed)
        && atomic_load_explicit(&hold->header->session_id, memory_order_relaxed)
        == atomic_load_explicit(&hold->given->session_id, memory_order_relaxed);
}
