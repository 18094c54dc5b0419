#include "content.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define SHIFTS 64
/*
 * The period of the content: a prime number of pages, so that no block of a file is like another
 * one. Larger than caches.
 */
#define PERIOD (INT64_C(8191) * PAGE)

static uint8_t *content;

bool replay_content_prepare(int64_t farthest, int64_t longest, bool huge)
{
    const bool repeats = farthest > PERIOD - SHIFTS * PAGE;
    const size_t once = (size_t)(repeats ? PERIOD : farthest + SHIFTS * PAGE);
    const size_t length = once + (repeats ? (size_t)longest : 0);
    content = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (content == MAP_FAILED)
        return false;
    if (huge)
        madvise(content, length, MADV_HUGEPAGE);
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i < once / sizeof state; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(content + i * sizeof state, &state, sizeof state);
    }
    for (size_t i = once; i < length; i += once)
        memcpy(content + i, content, length - i < once ? length - i : once);
    return true;
}

int64_t replay_content_shift(const char *path)
{
    int64_t sum = 0;
    while (*path != 0)
        sum += (unsigned char)*path++;
    return sum % SHIFTS * PAGE;
}

const void *replay_content_at(int64_t shift, int64_t offset)
{
    return content + (offset % PERIOD + shift) % PERIOD;
}
