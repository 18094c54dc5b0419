#include "content.h"

#include <stdlib.h>

/* A prime, so that no block of a file is like another one. */
#define PERIOD 1048573

static uint8_t *content;

bool replay_content_prepare(int64_t longest)
{
    const int64_t length = PERIOD + longest;
    uint32_t random = 1;
    content = malloc((size_t)length);
    for (int64_t i = 0; content != NULL && i < length; i++) {
        random = i % PERIOD == 0 ? 1 : random * 1664525 + 1013904223;
        content[i] = (uint8_t)(random >> 24);
    }
    return content != NULL;
}

const void *replay_content_at(int64_t offset)
{
    return content + offset % PERIOD;
}
