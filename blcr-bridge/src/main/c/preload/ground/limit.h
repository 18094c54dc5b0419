/* The largest file here, in bytes. Beyond it the kernel is asked, which knows better. */
#pragma once

#include <stdint.h>

#define SLUICE_LARGEST_FILE (INT64_C(1) << 43)

/* Returns RLIMIT_FSIZE in bytes, or SLUICE_LARGEST_FILE if that is less. */
int64_t sluice_limit(void);
