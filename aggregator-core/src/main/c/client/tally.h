/*
 * Counts what goes past the log, and why. The bytes of an image count in the process's slot, by size
 * and by reason, and in the image's entry; those of a file that is no image by reason only, in the header where
 * nobody announced it. All are
 * atomic additions, so that a direct write takes no lock, nor one in a signal handler.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

struct sluice_client;
struct sluice_image_entry;
struct sluice_segment;

/* What that needs to know of a file: changed under its image's lock, read without. */
struct sluice_tally {
    _Atomic(struct sluice_client *) client;     /* NULL: nobody counts */
    _Atomic(struct sluice_image_entry *) entry; /* NULL for a file that is no image */
    _Atomic int32_t reason;                     /* SLUICE_REASON_* */
    const struct sluice_segment *segment;       /* of a file that nobody announced */
};

/*
 * Counts `length` bytes that have gone to the file; nothing when it is not over 0. SLUICE_REASON_NONE
 * stands for the reason why the image is direct. Lock-free, async-signal-safe.
 */
void sluice_tally_add(struct sluice_tally *tally, int reason, int64_t length);

/* The kernel may write bytes from here on that nobody counts, if that is in the nature of `reason`. */
void sluice_tally_note(struct sluice_tally *tally, int reason);
