/*
 * Counts of bytes that bypass the log, by reason. The bytes of an image count in the process's
 * slot, by size and by reason, and in the image's entry. The bytes of a file that is no image count
 * by reason only. Where nobody announced the file, they count in the header. All counts are atomic
 * additions: a direct write takes no lock, not even in a signal handler.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

struct sluice_client;
struct sluice_image_entry;
struct sluice_segment;

/* A file as far as its counts need it. Changed under its image's lock, read without. */
struct sluice_tally {
    _Atomic(struct sluice_client *) client;     /* NULL: nothing is counted in a slot */
    _Atomic(struct sluice_image_entry *) entry; /* NULL for a file that is no image */
    _Atomic int32_t reason;                     /* SLUICE_REASON_* */
    const struct sluice_segment *segment;       /* set for a file that nobody announced */
};

/*
 * Counts `length` bytes written to the file; nothing if `length` <= 0. SLUICE_REASON_NONE stands
 * for the reason why the image is direct. Lock-free, async-signal-safe.
 */
void sluice_tally_add(struct sluice_tally *tally, int reason, int64_t length);

/* Notes that the kernel may write uncounted bytes from here on, if `reason` implies that. */
void sluice_tally_note(struct sluice_tally *tally, int reason);
