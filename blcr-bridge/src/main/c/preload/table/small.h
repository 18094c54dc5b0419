/*
 * New files that are still small, in the files layout: the kernel writes them and nobody is told of
 * them, until they outgrow what the header says. So a file of a few bytes, or one that is read or shared
 * at once like a database, costs what it costs without Sluice.
 */
#pragma once

#include "image.h"

/*
 * Whether nobody has to be told of a file that was just opened with SLUICE_REQUEST_OPEN_* flags, to
 * which this may add. Its image is small then, or the kernel's for the reason in `disposition`.
 */
bool sluice_small_unannounced(const struct stat *status, int *announced, bool *small,
                              struct sluice_disposition *disposition);

/*
 * Before something that makes a small file end at `end`: it may have outgrown that, or be another
 * process's as well. Locked.
 */
void sluice_small_grow_to(struct image *image, int64_t end);

/* The kernel takes over. The I/O process estimates what nobody will be able to count. Locked. */
void sluice_small_leave(struct image *image, int reason);

/* A small file is closed. Locked. */
void sluice_small_close(struct image *image);

/* Writes to a small file. The bytes written or a negative errno. Locked. */
ssize_t sluice_small_write(struct image *image, int fd, const void *data, size_t length,
                           int64_t offset);
