/*
 * The ground shared by the two parts of an image's log. log.c settles, synchronises and ends the
 * log; log_write.c writes. The caller of each function holds image->lock.
 */
#pragma once

#include "attachment.h"

/* Returns false for a process that must not touch the segment; see hold.h. */
static inline bool sluice_log_held(const struct sluice_log_image *image)
{
    return sluice_pool_held(&image->client->writer.pool);
}

static inline bool sluice_log_lost(const struct sluice_log_image *image)
{
    return atomic_load_explicit(&image->client->connection.lost, memory_order_relaxed);
}

/*
 * The entry that stands in for an image's own while the segment is not mapped; it is of no image.
 */
extern struct sluice_image_entry sluice_log_nowhere;

/*
 * Checks, while there is a doubt, that the image's entry is still mapped. Called before each look
 * at the entry.
 */
static inline void sluice_log_look(struct sluice_log_image *image)
{
    if (image->entry != NULL && sluice_hold_doubted(&image->client->writer.pool.hold)
        && !sluice_pool_held(&image->client->writer.pool)
        && image->client->writer.pool.hold.slot != image->client->writer.pool.hold.mapped) {
        image->entry = &sluice_log_nowhere;
    }
}

static inline bool sluice_log_still_diverted(const struct sluice_log_image *image)
{
    return atomic_load_explicit(&image->entry->state, memory_order_acquire)
        == SLUICE_IMAGE_STATE_DIVERTED;
}

/* Returns why an image that is not simply diverted cannot be written to, as a negative errno. */
int sluice_log_refusal(struct sluice_log_image *image);

static inline bool sluice_log_simply_diverted(const struct sluice_log_image *image)
{
    return image->entry != NULL && sluice_log_still_diverted(image) && !sluice_log_lost(image)
        && atomic_load_explicit(&image->entry->error, memory_order_relaxed) == 0;
}

/*
 * Returns 0 if an append may be tried, else the negative errno of the refusal. The append itself
 * checks the slot.
 */
static inline int sluice_log_may_append(struct sluice_log_image *image)
{
    sluice_log_look(image);
    return sluice_log_simply_diverted(image) ? 0 : sluice_log_refusal(image);
}

/*
 * Returns 0 if the image may be changed in another way than by an append, else the negative errno.
 */
static inline int sluice_log_may_change(struct sluice_log_image *image)
{
    sluice_log_look(image);
    return image->entry != NULL && !sluice_log_held(image) ? sluice_log_refusal(image)
                                                           : sluice_log_may_append(image);
}
