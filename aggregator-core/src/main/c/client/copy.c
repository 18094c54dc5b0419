#include "copy.h"

#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

/*
 * The shortest copy that is streamed: more than a page. For less, the fence costs more than the
 * reads that streaming saves.
 */
#define STREAMED 4097

#define LINE 64

__attribute__((target("avx2"))) static void stream_by_32(char *to, const char *from, size_t length)
{
    for (size_t at = 0; at < length; at += LINE) {
        const __m256i low = _mm256_loadu_si256((const __m256i *)(from + at));
        const __m256i high = _mm256_loadu_si256((const __m256i *)(from + at + 32));
        _mm256_stream_si256((__m256i *)(to + at), low);
        _mm256_stream_si256((__m256i *)(to + at + 32), high);
    }
}

static void stream_by_16(char *to, const char *from, size_t length)
{
    for (size_t at = 0; at < length; at += 16)
        _mm_stream_si128((__m128i *)(to + at), _mm_loadu_si128((const __m128i *)(from + at)));
}

/*
 * Streams whole cache lines; copies the ends normally, since a line written in part has to be read
 * first. Streaming stores are not ordered as others are, hence the fence.
 */
static void stream(char *to, const char *from, size_t length)
{
    const size_t head = -(uintptr_t)to % LINE;
    const size_t lines = (length - head) / LINE * LINE;
    memcpy(to, from, head);
    if (__builtin_cpu_supports("avx2"))
        stream_by_32(to + head, from + head, lines);
    else
        stream_by_16(to + head, from + head, lines);
    memcpy(to + head + lines, from + head + lines, length - head - lines);
    _mm_sfence();
}

void sluice_copy(void *to, const void *from, size_t length)
{
    if (length < STREAMED)
        memcpy(to, from, length);
    else
        stream(to, from, length);
}
#else

void sluice_copy(void *to, const void *from, size_t length)
{
    memcpy(to, from, length);
}
#endif
