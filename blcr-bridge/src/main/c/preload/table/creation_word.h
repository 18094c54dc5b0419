/*
 * Words in the header's table, one for each open small file. By them processes tell each other of
 * small files without the I/O process. See small.h.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

/* The way to treat a file that this process has just opened for the first time. */
enum sluice_creation {
    SLUICE_CREATION_ASK,   /* the I/O process decides */
    SLUICE_CREATION_BEGIN, /* the file is new, and this process's alone */
    SLUICE_CREATION_PLAIN, /* the file is no image, and nobody has to be told */
};

/*
 * Examines a file just opened with SLUICE_REQUEST_OPEN_* flags, to which it may add. With
 * SLUICE_CREATION_PLAIN `*reason` says why.
 */
enum sluice_creation sluice_creation_look(const struct stat *status, int *announced, int *reason);

/*
 * Notes an opening that cannot be followed: no process is to log the file while this one runs.
 * False if the file is an image, or becomes one just now.
 */
bool sluice_creation_leave(const struct stat *status, int *announced);

/* Returns whether this process is the only one to have opened a small file, as far as it knows. */
bool sluice_creation_holds(dev_t device, ino_t inode);

/* Takes the word of another process's small file, which is then left to the kernel. */
bool sluice_creation_take(const struct stat *status);

/* Prepares to announce a small file: false if another process has opened it. */
bool sluice_creation_grow(dev_t device, ino_t inode);

/* Frees the word when the file is small no more, or closed. */
void sluice_creation_end(dev_t device, ino_t inode);
