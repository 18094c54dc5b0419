/*
 * The stdio streams on captured files, by descriptor. The standard streams are left out, unless
 * they were reopened.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

struct sluice_cookie;

struct sluice_stream {
    FILE *_Atomic file;
    atomic_bool native;
    struct sluice_cookie *cookie; /* NULL for a stream born native */
};

extern struct sluice_stream sluice_streams[];

void sluice_stream_remember(int fd, FILE *file, bool native, struct sluice_cookie *cookie);

/* Returns the stream's descriptor, -1 without one. errno stays. */
int sluice_stream_descriptor(FILE *file);

/* Returns the stream's entry; NULL for a stream that is none of ours. */
struct sluice_stream *sluice_stream_entry(FILE *file);

/* Flushes all streams, as exit() does, without waiting for their locks. */
void sluice_streams_flush(void);

/*
 * Returns whether a stream of the C library's own is on `fd`, as the standard streams may always
 * be. Such a stream bypasses the shim. So a file opened as, or duplicated to, this descriptor must
 * be direct.
 */
bool sluice_stream_native(int fd);
