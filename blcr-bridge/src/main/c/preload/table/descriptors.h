/*
 * The descriptors of captured files. As in the kernel, several descriptors may share one open file
 * description, with one offset, and several descriptions one image.
 */
#pragma once

#include "image.h"

#define SLUICE_DESCRIPTORS 65536 /* descriptors from this one on are never captured */

extern _Atomic(struct description *) sluice_descriptions[SLUICE_DESCRIPTORS];

/* Returns the description behind `fd`; NULL if `fd` is not of a captured file. */
static inline struct description *sluice_description_of(int fd)
{
    return (unsigned)fd < SLUICE_DESCRIPTORS ? sluice_descriptions[fd] : NULL;
}

/*
 * Returns the counts of bytes that bypass the log, for the file of `fd`. NULL if `fd` is not of a
 * captured file.
 */
struct sluice_tally *sluice_descriptor_tally(int fd);

/*
 * Counts `written`, the result of a call by which the kernel wrote to `fd`, as sluice_tally_add()
 * does. Returns `written`. Nothing is counted if `fd` is not of a captured file. Async-signal-safe.
 */
ssize_t sluice_descriptor_count(int fd, int reason, ssize_t written);

/* Gives the kernel every offset of the image. The caller holds the image's lock. */
void sluice_image_return(struct image *image);
