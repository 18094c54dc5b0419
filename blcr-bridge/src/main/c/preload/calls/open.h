/* The opening of files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct open_how;

/*
 * Opens a file as openat() does: the descriptor, or -1 and errno. A captured file is known from
 * here on.
 */
int sluice_open(int dirfd, const char *path, int flags, mode_t mode);

/*
 * Opens a file as openat2() does, for which the C library has no function: the descriptor, or -1
 * and errno.
 */
long sluice_open_by_how(int dirfd, const char *path, const struct open_how *how, size_t size);

/* Makes the file of a descriptor direct that another process shares and may still log. */
void sluice_open_shared(int fd);

/*
 * Makes the file of this name complete and direct, before a program opens it unseen with `flags`. A
 * committed file gives way to a fresh one if they allow writes.
 */
void sluice_open_settle(int dirfd, const char *path, int flags);
