/*
 * Processes tell each other of small files without the I/O process, by a word of the header's table
 * for each that is open. See small.h.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

/* What to do about a file that is opened and that this process has not open yet. */
enum sluice_creation {
    SLUICE_CREATION_ASK,   /* the I/O process decides */
    SLUICE_CREATION_BEGIN, /* it is new, and this process's alone */
    SLUICE_CREATION_PLAIN, /* it is no image, and nobody has to be told */
};

/*
 * Looks at a file that was just opened with SLUICE_REQUEST_OPEN_* flags, to which it may add. With
 * SLUICE_CREATION_PLAIN `*reason` says why.
 */
enum sluice_creation sluice_creation_look(const struct stat *status, int *announced, int *reason);

/*
 * An opening with those flags that cannot be followed: nobody is to log the file as long as this process runs,
 * if it is no image yet. False if it is one, or becomes one just now.
 */
bool sluice_creation_leave(const struct stat *status, int *announced);

/* Whether this process is still the only one to have opened a small file, as far as it knows. */
bool sluice_creation_holds(dev_t device, ino_t inode);

/* Takes the word of another process's small file, which is left to the kernel then. */
bool sluice_creation_take(const struct stat *status);

/* Before a small file is announced: false if another process has opened it. */
bool sluice_creation_grow(dev_t device, ino_t inode);

/* When it is small no more, or closed. */
void sluice_creation_end(dev_t device, ino_t inode);
