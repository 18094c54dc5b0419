/*
 * Memory of our own. The program's allocator may have called the shim while it holds its own locks.
 * So nothing in the shim asks that allocator for memory. Lock-free, async-signal-safe.
 */
#pragma once

#include <stddef.h>

/*
 * Returns `length` zeroed bytes; NULL, and ENOMEM in errno, without memory. sluice_memory_give()
 * frees them.
 */
void *sluice_memory_take(size_t length);

/* Frees memory of sluice_memory_take(); `memory` may be NULL. */
void sluice_memory_give(void *memory);

/* Returns a copy of a string, or NULL. */
char *sluice_memory_copy(const char *text);
