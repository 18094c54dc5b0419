/* The streams that are left to the C library. */
#pragma once

#include <stdio.h>

/*
 * Lets the C library read and write the stream's file itself from here on; the file becomes direct.
 */
void sluice_stream_go_native(FILE *file);
