/* The SHA-256 of a stream, whose last line says what it is to be. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the line: 64 hexadecimal digits and a new line. */
#define SLUICE_TRAILER_LENGTH 65

struct sluice_trailer {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t length; /* bytes that are in the sum */
    size_t held;     /* bytes that may be the line */
};

void sluice_trailer_begin(struct sluice_trailer *trailer);

/*
 * Takes `length` bytes of the stream behind the held ones, with which `data` begins. Returns how
 * many of all are none of the line, as enough follow them. The rest is held from now on.
 */
size_t sluice_trailer_add(struct sluice_trailer *trailer, const char *data, size_t length);

/* Returns whether the held bytes are the sum of all before. Nothing is added afterwards. */
bool sluice_trailer_holds(struct sluice_trailer *trailer, const char *held);
