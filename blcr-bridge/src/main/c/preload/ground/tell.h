/* What the shim says to the user. */
#pragma once

#include <stddef.h>

/* One line on standard error, in which names of files may be raw. */
__attribute__((format(printf, 1, 2))) void sluice_tell(const char *format, ...);

/* Writes to a descriptor, and returns how many bytes. */
typedef size_t sluice_teller(int fd, const void *data, size_t length);

/* From here on lines are written by this function. Before, the kernel is called. */
void sluice_tell_by(sluice_teller *teller);
