/* The writing for other calls. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Writes until all is written or an error is met. Returns how many bytes were written. */
size_t sluice_write_whole(int fd, const void *data, size_t length);

/*
 * Writes part of a call, which is recorded as a whole. `offset` is -1 for the descriptor's own.
 * Returns as pwrite() does.
 */
ssize_t sluice_write_piece(int fd, const void *data, size_t length, int64_t offset);
