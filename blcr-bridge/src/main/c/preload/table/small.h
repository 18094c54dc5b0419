/*
 * New files that are still small, in the files layout. The kernel writes them, and nobody is told,
 * until they outgrow the limit in the header. So a file of a few bytes costs no more than without
 * Sluice. Nor does one that is read or shared at once, like a database.
 */
#pragma once

#include "image.h"

/*
 * Returns whether nobody has to be told of a file just opened with SLUICE_REQUEST_OPEN_* flags, to
 * which this may add. The image is small then, or the kernel's for the reason in `disposition`.
 */
bool sluice_small_unannounced(const struct stat *status, int *announced, bool *small,
                              struct sluice_disposition *disposition);

/*
 * Prepares a change after which a small file ends at `end`. Announces the file if it outgrows the
 * limit; leaves it if another process opened it. The image is locked.
 */
void sluice_small_grow_to(struct image *image, int64_t end);

/*
 * Leaves a small file to the kernel. The I/O process estimates the bytes that nobody can count. The
 * image is locked.
 */
void sluice_small_leave(struct image *image, int reason);

/* Ends a small file at its last close. The image is locked. */
void sluice_small_close(struct image *image);

/* Returns the bytes written or a negative errno. The image is locked. */
ssize_t sluice_small_write(struct image *image, int fd, const void *data, size_t length,
                           int64_t offset);
