/* Text that names files, on the user's terminal. */
#pragma once

#include <stddef.h>

/*
 * Copies a line of text, zero-terminated and cut where the room ends. What a terminal would obey, or not
 * show as itself, is written as bash reads and ls prints it: $'\033'. So are bytes that are no UTF-8.
 */
void sluice_line(char *out, size_t capacity, const char *text);
