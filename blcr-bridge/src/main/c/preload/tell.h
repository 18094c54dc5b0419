/* What the shim says to the user. */
#pragma once

/* One line on standard error, in which names of files may be raw. */
__attribute__((format(printf, 1, 2))) void sluice_tell(const char *format, ...);
