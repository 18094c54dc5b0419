/* Streams of fopencookie() that read and write a descriptor by way of the shim. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct sluice_cookie;

/*
 * Returns whether such a stream does here what a native one does. Depends on the C library, and is
 * tried at the first call. False: use native streams; standard error has been told.
 */
bool sluice_cookie_sound(void);

/*
 * Makes a stream on `fd`, of the kind 'r', 'w' or 'a' of its mode, with '+' or not. The stream
 * closes `fd`. The caller frees the cookie after the stream. NULL without memory.
 */
FILE *sluice_cookie_stream(int fd, char kind, bool plus, struct sluice_cookie **cookie);
