/* Opening by what the C library has no function for. */
#pragma once

#include <stddef.h>

struct open_how;

/* openat2(): the descriptor, or -1 and errno. */
long sluice_handle_openat2(int dirfd, const char *path, const struct open_how *how, size_t size);
