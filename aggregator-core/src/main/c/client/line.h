/* Text that names files, for the user's terminal. */
#pragma once

#include <stddef.h>

/*
 * Copies a line of text, zero-terminated and cut at `capacity` bytes. Characters that a terminal
 * would obey or hide are written as bash reads and ls prints them: $'\033'. So are bytes that are
 * no UTF-8.
 */
void sluice_line(char *out, size_t capacity, const char *text);
