/* The writing for a stream. */
#pragma once

#include <stddef.h>

/* Writes until all is written or an error is met. Returns how many bytes were written. */
size_t sluice_write_whole(int fd, const void *data, size_t length);
