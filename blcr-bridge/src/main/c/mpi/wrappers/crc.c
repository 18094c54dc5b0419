#include "data.h"

#include <string.h>

/* The polynomial of CRC-32C, its lowest power first. */
#define CASTAGNOLI 0x82f63b78u

static uint32_t by_bits(uint32_t crc, const unsigned char *data, size_t length)
{
    static uint32_t table[256];
    if (table[255] == 0) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t rest = byte;
            for (int bit = 0; bit < 8; bit++)
                rest = rest >> 1 ^ (rest & 1 ? CASTAGNOLI : 0);
            table[byte] = rest;
        }
    }
    for (size_t at = 0; at < length; at++)
        crc = crc >> 8 ^ table[(crc ^ data[at]) & 255];
    return crc;
}

#if defined(__x86_64__)

#define HAS_INSTRUCTION __builtin_cpu_supports("sse4.2")
#define STEP64(crc, word) (uint32_t)__builtin_ia32_crc32di(crc, word)
#define STEP8(crc, byte) __builtin_ia32_crc32qi(crc, byte)
#define WITH_INSTRUCTION __attribute__((target("sse4.2")))

#elif defined(__aarch64__)

#include <sys/auxv.h>
#define HAS_INSTRUCTION ((getauxval(AT_HWCAP) & 1 << 7) != 0)
#define STEP64(crc, word) __builtin_aarch64_crc32cx(crc, word)
#define STEP8(crc, byte) __builtin_aarch64_crc32cb(crc, byte)
#define WITH_INSTRUCTION __attribute__((target("+crc")))

#endif

WITH_INSTRUCTION static uint32_t by_instruction(uint32_t crc, const unsigned char *data,
                                                size_t length)
{
    for (; length >= 8; data += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, data, sizeof word);
        crc = STEP64(crc, word);
    }
    for (; length > 0; data++, length--)
        crc = STEP8(crc, *data);
    return crc;
}

uint32_t sluice_mpi_crc(uint32_t crc, const void *data, size_t length)
{
    return ~(HAS_INSTRUCTION ? by_instruction(~crc, data, length) : by_bits(~crc, data, length));
}
