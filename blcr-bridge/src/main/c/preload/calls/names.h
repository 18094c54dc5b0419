#ifndef SLUICE_NAMES_H
#define SLUICE_NAMES_H

/*
 * Makes the I/O process take files that it knows by this name only, before the name or the rights
 * to open it change. `flags` as for fstatat(2).
 */
void sluice_names_change(int dirfd, const char *path, int flags);

#endif
