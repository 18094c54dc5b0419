/* Opening files. */
#ifndef SLUICE_PRELOAD_OPEN_H
#define SLUICE_PRELOAD_OPEN_H

#include <sys/types.h>

/* openat(): the descriptor, or -1 and errno. A captured file is known from here on. */
int sluice_open(int dirfd, const char *path, int flags, mode_t mode);

/* Opens an image of this name for reading and closes it again, so that its file is complete. */
void sluice_open_settle(int dirfd, const char *path);

#endif
