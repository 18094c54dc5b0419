/* The writes that a rank makes, in order, and the memory they are taken from. */
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>

struct pattern_write {
    size_t offset; /* in the rank's memory */
    size_t length;
};

struct pattern {
    size_t memory; /* bytes */
    size_t image;  /* bytes: the sum of all lengths */
    size_t count;
    size_t gap; /* bytes of the file left out after each write */
    struct pattern_write *writes;
};

/*
 * Reads a file of lines "OFFSET LENGTH", one a write, after a first line "MEMORY COUNT GAP". Returns 0,
 * or -1 when it cannot be read as that. The writes are never freed: a pattern lives as long as its
 * process.
 */
int pattern_read(const char *path, struct pattern *pattern);

#endif
