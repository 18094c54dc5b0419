/*
 * The accumulation of XXH3. Eight lanes take a stripe of 64 bytes at a time. Each lane multiplies
 * the halves of its input, mixed with a secret, and adds the product. The other lane of its pair
 * adds the input itself, so that no byte is lost where a product is 0. After 16 stripes all lanes
 * are scrambled.
 */
#include "hash.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define LANES 8
#define STRIPE 64
#define SECRET 192
#define STRIPES_OF_BLOCK ((SECRET - STRIPE) / 8)

#define PRIME32_1 UINT64_C(0x9E3779B1)
#define PRIME32_2 UINT64_C(0x85EBCA77)
#define PRIME32_3 UINT64_C(0xC2B2AE3D)
#define PRIME64_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME64_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME64_3 UINT64_C(0x165667B19E3779F9)
#define PRIME64_4 UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME64_5 UINT64_C(0x27D4EB2F165667C5)
#define AVALANCHE UINT64_C(0x165667919E3779F9)

static const unsigned char secret[SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

static uint64_t get(const unsigned char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

#if defined(__SSE2__)

#define VECTORS (LANES / 2)

static void take(uint64_t *lanes, const unsigned char *stripe, const unsigned char *key)
{
    __m128i *sums = (__m128i *)lanes;
    for (int i = 0; i < VECTORS; i++) {
        const __m128i data = _mm_loadu_si128((const __m128i *)stripe + i);
        const __m128i mixed = _mm_xor_si128(data, _mm_loadu_si128((const __m128i *)key + i));
        const __m128i product = _mm_mul_epu32(mixed, _mm_shuffle_epi32(mixed, 0x31));
        sums[i] = _mm_add_epi64(_mm_add_epi64(sums[i], _mm_shuffle_epi32(data, 0x4e)), product);
    }
}

#else

static void take(uint64_t *lanes, const unsigned char *stripe, const unsigned char *key)
{
    for (int i = 0; i < LANES; i++) {
        const uint64_t data = get(stripe + 8 * i);
        const uint64_t mixed = data ^ get(key + 8 * i);
        lanes[i ^ 1] += data;
        lanes[i] += (uint32_t)mixed * (mixed >> 32);
    }
}

#endif

static void scramble(uint64_t *lanes)
{
    for (int i = 0; i < LANES; i++) {
        lanes[i] ^= lanes[i] >> 47;
        lanes[i] ^= get(secret + SECRET - STRIPE + 8 * i);
        lanes[i] *= PRIME32_1;
    }
}

static uint64_t fold(uint64_t one, uint64_t other)
{
    const unsigned __int128 product = (unsigned __int128)one * other;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t merge(const uint64_t *lanes, const unsigned char *key, uint64_t start)
{
    uint64_t sum = start;
    for (int i = 0; i < LANES; i += 2)
        sum += fold(lanes[i] ^ get(key + 8 * i), lanes[i + 1] ^ get(key + 8 * i + 8));
    sum ^= sum >> 37;
    sum *= AVALANCHE;
    return sum ^ sum >> 32;
}

struct sluice_mpi_hash sluice_mpi_hash(const void *data, size_t length)
{
    _Alignas(64) uint64_t lanes[LANES] = {PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3,
                                          PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};
    const unsigned char *at = data;
    const size_t stripes = (length - 1) / STRIPE;
    for (size_t i = 0; i < stripes; i++) {
        const size_t of_block = i % STRIPES_OF_BLOCK;
        __builtin_prefetch(at + i * STRIPE + 512);
        take(lanes, at + i * STRIPE, secret + 8 * of_block);
        if (of_block == STRIPES_OF_BLOCK - 1)
            scramble(lanes);
    }
    take(lanes, at + length - STRIPE, secret + SECRET - STRIPE - 7);
    return (struct sluice_mpi_hash){
        merge(lanes, secret + 11, length * PRIME64_1),
        merge(lanes, secret + SECRET - STRIPE - 11, ~(length * PRIME64_2)),
    };
}
