/* Messages of the shim to the user. */
#pragma once

#include <stddef.h>

/*
 * Writes one line to standard error. File names in it may be raw: unprintable characters are
 * escaped.
 */
__attribute__((format(printf, 1, 2))) void sluice_tell(const char *format, ...);

/* Writes to a descriptor, and returns how many bytes. */
typedef size_t sluice_teller(int fd, const void *data, size_t length);

/* Makes the given function write the lines from here on. Before, the kernel is called. */
void sluice_tell_by(sluice_teller *teller);
