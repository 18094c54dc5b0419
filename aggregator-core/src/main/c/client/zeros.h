/* Zeros: bytes of an image that are never written are zero. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns whether memory of 1 byte or more is zero. Untouched pages stay untouched. */
static inline bool sluice_is_zero(const void *data, size_t length)
{
    const char *bytes = data;
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0;
}
