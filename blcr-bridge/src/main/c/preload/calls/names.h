#ifndef SLUICE_NAMES_H
#define SLUICE_NAMES_H

/*
 * Before a name changes, or the rights to open it: has the I/O process take what it knows by that name
 * only. `flags` as for fstatat(2).
 */
void sluice_names_change(int dirfd, const char *path, int flags);

#endif
