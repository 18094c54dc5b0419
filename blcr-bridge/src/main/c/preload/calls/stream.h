/* Streams that are left to the C library. */
#pragma once

#include <stdio.h>

/* From here on the C library reads and writes the stream's file itself, which becomes direct. */
void sluice_stream_go_native(FILE *file);
