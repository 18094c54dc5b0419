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
    struct sluice_given *given = sluice_kernel_allocate(page_length());
    if (given == MAP_FAILED) {
        return false;
    }
    madvise(given, page_length(), MADV_WIPEONFORK);
    given->session_id = header->session_id;
    given->generation = slot->generation;
    *hold = (struct sluice_hold){header, slot, given};
    return true;
}

void sluice_hold_free(struct sluice_hold *hold)
{
    sluice_kernel_unmap(hold->given, page_length());
}
