/* The stdio streams on captured files. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Flushes all of them, as exit() does, without waiting for their locks. */
void sluice_streams_flush(void);

/*
 * True when a stream of the C library's own is on `fd`, as the standard streams may always be. It
 * writes past us, so whatever is opened as, or duplicated to, this descriptor must be direct.
 */
bool sluice_stream_native(int fd);

/* From here on the C library reads and writes the stream's file itself, which becomes direct. */
void sluice_stream_go_native(FILE *file);

/* write() for a stream. */
ssize_t sluice_write_stream(int fd, const void *data, size_t length);

/* The same until all is written or an error is met: how many bytes were. */
size_t sluice_write_whole(int fd, const void *data, size_t length);

/*
 * What native streams have for wide characters, fopencookie() streams have not, and freopen() needs
 * too: what a fresh stream's _wide_data holds. NULL and an errno: ENOTSUP when it lies where it is not
 * looked for, any other when it could not be looked at now.
 */
const void *sluice_wide_data(size_t *length);
