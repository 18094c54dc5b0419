/*
 * Memory of our own. A call of the program's allocator may be what led here, with that one's locks held: so
 * nothing in the shim asks it for memory. Lock-free, async-signal-safe.
 */
#pragma once

#include <stddef.h>

/* Zeros; NULL, and ENOMEM in errno, where there are none. */
void *sluice_memory_take(size_t length);

/* What was taken, or NULL. */
void sluice_memory_give(void *memory);

/* A copy of a string. */
char *sluice_memory_copy(const char *text);
