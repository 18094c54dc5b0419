/*
 * The check of memory in a child. Shared memory changes under the child, and other memory may be
 * left out of forks (MADV_DONTFORK) or be zero there (MADV_WIPEONFORK). The kernel's list of
 * mappings says so. Reading it takes long in a large process, so the rank reads it only after the
 * program has protected other memory. The child reads its own each time, as nobody waits for it.
 */
#include "inherit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"
#include "regions.h"

static bool is_strange(const char *flags)
{
    return strstr(flags, " sh ") != NULL || strstr(flags, " dc ") != NULL
        || strstr(flags, " wf ") != NULL;
}

bool sluice_mpi_inherited(void)
{
    FILE *mappings = fopen("/proc/self/smaps", "re");
    char *line = NULL;
    size_t room = 0;
    unsigned long low = 0;
    unsigned long high = 0;
    bool known = false;
    bool all = true;
    while (mappings != NULL && all && getline(&line, &room, mappings) > 0) {
        unsigned long begin;
        unsigned long end;
        char permissions[8];
        if (sscanf(line, "%lx-%lx %7s", &begin, &end, permissions) == 3) {
            low = begin;
            high = end;
        } else if (strncmp(line, "VmFlags:", 8) == 0) {
            known = true;
            all = !is_strange(line) || sluice_mpi_region_within(low, high) == NULL;
        }
    }
    free(line);
    if (mappings != NULL)
        fclose(mappings);
    return known && all;
}

bool sluice_mpi_inherits(void)
{
    static int64_t looked = -1;
    static bool inherits;
    if (looked != sluice_mpi.region_changes) {
        looked = sluice_mpi.region_changes;
        inherits = sluice_mpi_inherited();
    }
    return inherits;
}
