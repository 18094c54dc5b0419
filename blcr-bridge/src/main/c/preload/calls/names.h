#ifndef SLUICE_NAMES_H
#define SLUICE_NAMES_H

#include <stdbool.h>

/*
 * Makes the I/O process take files that it knows by this name only, before the name or the rights
 * to open it change. `flags` as for fstatat(2).
 */
void sluice_names_change(int dirfd, const char *path, int flags);

/* Returns whether a process fills a checkpoint with files. */
bool sluice_names_filled(void);

/* Tells of a file that this process has just emptied: it may be of the checkpoint that is filled. */
void sluice_names_emptied(int fd);

#endif
