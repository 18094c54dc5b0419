/* Opening files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct open_how;

/* openat(): the descriptor, or -1 and errno. A captured file is known from here on. */
int sluice_open(int dirfd, const char *path, int flags, mode_t mode);

/* openat2(), which the C library has no function for: the descriptor, or -1 and errno. */
long sluice_open_by_how(int dirfd, const char *path, const struct open_how *how, size_t size);

/* A descriptor that another process shares, of a file that it may still log: it becomes direct. */
void sluice_open_shared(int fd);

/*
 * Makes the file of this name complete and direct, before a program opens it unseen with `flags`:
 * one that is committed makes place if they write.
 */
void sluice_open_settle(int dirfd, const char *path, int flags);
