#include "hold.h"

#include "kernel.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

static size_t page_length(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool sluice_hold_take(struct sluice_hold *hold, struct sluice_header *header,
                      struct sluice_slot *slot)
{
    int error;
    struct sluice_given *given = sluice_kernel_map(-1, 0, page_length(), &error);
    if (given == NULL)
        return false;
    madvise(given, page_length(), MADV_WIPEONFORK);
    given->session_id = header->session_id;
    given->generation = slot->generation;
    *hold = (struct sluice_hold){
        header, slot, slot, given, sluice_presence_mapper(), atomic_load(&sluice_presence_life)};
    return true;
}

/* A slot in a state that no attached process has. */
static struct sluice_slot nowhere;

void sluice_hold_look(struct sluice_hold *hold)
{
    sluice_presence_look();
    const bool there = sluice_presence_counts(hold->life) && sluice_presence_readable(hold->header)
        && sluice_presence_readable(hold->mapped);
    hold->slot = there ? hold->mapped : &nowhere;
    if (there)
        sluice_presence_found();
}

bool sluice_hold_taken_back(struct sluice_hold *hold)
{
    return !sluice_hold_valid(hold) && hold->slot == hold->mapped
        && atomic_load_explicit(&hold->header->session_id, memory_order_relaxed)
        == atomic_load_explicit(&hold->given->session_id, memory_order_relaxed)
        && sluice_presence_is(&hold->mapper);
}

void sluice_hold_free(struct sluice_hold *hold)
{
    sluice_kernel_unmap(hold->given, page_length());
}
