/* The copy into a chunk, which is written once and read by another process much later. */
#pragma once

#include <stddef.h>

/*
 * Copies as memcpy() does. A long copy bypasses the caches, so that the overwritten memory need not
 * be read first. The copy comes before all later stores in program order.
 */
void sluice_copy(void *to, const void *from, size_t length);
