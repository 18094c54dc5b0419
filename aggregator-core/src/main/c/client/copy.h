/* Copies bytes into a chunk, which is written once and read by another process much later. */
#pragma once

#include <stddef.h>

/*
 * As memcpy. A long copy goes past the caches, so that the memory it overwrites need not be read
 * first. In program order, all of it comes before whatever is stored after it.
 */
void sluice_copy(void *to, const void *from, size_t length);
