/* The header's words in which threads say that the shim is opening a file for them. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "sluice_layout.h"

#define SLUICE_OPENINGS_IN_A_LINE 8

/*
 * Returns the index of a thread's word. Threads with consecutive numbers, as the ranks of a node
 * have, do not share a cache line.
 */
static inline unsigned sluice_openings_index(pid_t thread)
{
    const unsigned lines = SLUICE_HEADER_OPENINGS / SLUICE_OPENINGS_IN_A_LINE;
    const unsigned number = (unsigned)thread;
    return number % lines * SLUICE_OPENINGS_IN_A_LINE + number / lines % SLUICE_OPENINGS_IN_A_LINE;
}
