/* Streams of fopencookie() that read and write a descriptor by way of the shim. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct sluice_cookie;

/*
 * Whether such a stream does here what a native one does. It depends on the C library: tried at the
 * first call. When false, streams are to be native, and standard error has been told so.
 */
bool sluice_cookie_sound(void);

/*
 * A stream on `fd`, of the kind 'r', 'w' or 'a' of its mode, with '+' or not. It closes `fd`. The cookie
 * is to be freed after the stream. NULL without memory.
 */
FILE *sluice_cookie_stream(int fd, char kind, bool plus, struct sluice_cookie **cookie);
