/*
 * The descriptors of captured files. As in the kernel, several descriptors may share one open file
 * description, with one offset, and several descriptions one image.
 */
#pragma once

#include "image.h"

#define SLUICE_DESCRIPTORS 65536 /* a descriptor at or above this is never captured */

extern _Atomic(struct description *) sluice_descriptions[SLUICE_DESCRIPTORS];

/* The description behind `fd`, NULL when that is none of a captured file. */
static inline struct description *sluice_description_of(int fd)
{
    return (unsigned)fd < SLUICE_DESCRIPTORS ? sluice_descriptions[fd] : NULL;
}

/* What counts the bytes written to the file of `fd` past the log; NULL if that is none of a captured file. */
struct sluice_tally *sluice_descriptor_tally(int fd);

/*
 * `written`, the result of a call by which the kernel wrote to `fd`, counted if that is of a
 * captured file, as sluice_tally_add() does. Async-signal-safe.
 */
ssize_t sluice_descriptor_count(int fd, int reason, ssize_t written);

/* The kernel gets every offset. Locked. */
void sluice_image_return(struct image *image);
