/*
 * The check that the slot of a process is still its own.
 *
 * A checkpointer brings a process back with its former memory. Its slot may be another's then, or
 * another session's segment may be at the old path. The child of a bare clone() has its parent's
 * mapping. None of our code runs before such a process goes on.
 *
 * So a process checks before it stores into the segment: at each append, and after each wait. The
 * check compares the session, the slot's state and the slot's generation with those given to it.
 * They are kept on a page that the kernel empties in a child. The check takes loads from lines that
 * stay in the cache, as they change at an attach only, and no system call.
 *
 * The mapping itself may be gone; presence.h says when that is examined.
 *
 * Two things go unnoticed. The process may be dumped between the check and the store. The slot may
 * belong to the process that was dumped, while that still runs or its end is not yet noticed.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "presence.h"
#include "sluice_layout.h"

/* The session and generation given to this process, on a page of their own. */
struct sluice_given {
    _Atomic int64_t session_id;
    _Atomic int64_t generation; /* generation of the slot; 0 once the slot is known to be lost */
};

struct sluice_hold {
    struct sluice_header *header;
    struct sluice_slot *slot;   /* the slot; an unused one while nothing is mapped */
    struct sluice_slot *mapped; /* the slot's address in the mapping */
    struct sluice_given *given;
    struct sluice_mapper mapper;
    unsigned life; /* the life in which the mapping was made; it does not come back in another */
};

/* Notes the slot as this process's own. False without memory. */
bool sluice_hold_take(struct sluice_hold *hold, struct sluice_header *header,
                      struct sluice_slot *slot);
void sluice_hold_free(struct sluice_hold *hold);

/* Finds out, while there is a doubt, if the segment is still mapped. */
void sluice_hold_look(struct sluice_hold *hold);

/*
 * Returns whether something else is mapped over the segment for a while. Asked of a slot that is
 * not held.
 */
static inline bool sluice_hold_away(const struct sluice_hold *hold)
{
    return hold->slot != hold->mapped && sluice_presence_counts(hold->life);
}

/*
 * Returns whether the I/O process has taken the slot back while this process runs on, as at the end
 * of a session. False for a process that was restarted from its memory.
 */
bool sluice_hold_taken_back(struct sluice_hold *hold);

/* Returns whether to look before the slot is used. */
static inline bool sluice_hold_doubted(const struct sluice_hold *hold)
{
    return __builtin_expect(atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire)
                                || !sluice_presence_counts(hold->life),
                            0);
}

/*
 * Returns whether the slot is still this process's own. The state is stored last at an attach, so
 * it is loaded first.
 */
static inline bool sluice_hold_valid(struct sluice_hold *hold)
{
    if (sluice_hold_doubted(hold))
        sluice_hold_look(hold);
    return atomic_load_explicit(&hold->slot->state, memory_order_acquire)
        == SLUICE_SLOT_STATE_ATTACHED
        && atomic_load_explicit(&hold->slot->generation, memory_order_relaxed)
        == atomic_load_explicit(&hold->given->generation, memory_order_relaxed)
        && atomic_load_explicit(&hold->header->session_id, memory_order_relaxed)
        == atomic_load_explicit(&hold->given->session_id, memory_order_relaxed);
}
