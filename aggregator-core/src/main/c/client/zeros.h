/* What is not written to an image is zero. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether memory of 1 byte or more is zero. To look leaves untouched pages untouched. */
static inline bool sluice_is_zero(const void *data, size_t length)
{
    const char *bytes = data;
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0;
}
