/*
 * What the two parts of an image's log have in common: log.c, which settles, synchronises and ends it, and
 * log_write.c, which writes. The caller of each function holds image->lock.
 */
#pragma once

#include "attachment.h"

/* False for a process that must keep its hands off the segment; see hold.h. */
static inline bool sluice_log_held(const struct sluice_log_image *image)
{
    return sluice_pool_held(&image->client->writer.pool);
}

static inline bool sluice_log_lost(const struct sluice_log_image *image)
{
    return atomic_load_explicit(&image->client->connection.lost, memory_order_relaxed);
}

/* What an image's entry is taken for while the segment is not mapped: one of no image. */
extern struct sluice_image_entry sluice_log_nowhere;

/* Before an entry is looked at: while there is a doubt, whether it is still mapped. */
static inline void sluice_log_look(struct sluice_log_image *image)
{
    if (__builtin_expect(atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire), 0)
        && image->entry != NULL && !sluice_pool_held(&image->client->writer.pool)
        && image->client->writer.pool.hold.slot != image->client->writer.pool.hold.mapped) {
        image->entry = &sluice_log_nowhere;
    }
}

static inline bool sluice_log_still_diverted(const struct sluice_log_image *image)
{
    return atomic_load_explicit(&image->entry->state, memory_order_acquire)
        == SLUICE_IMAGE_STATE_DIVERTED;
}

/* Why an image that is not simply diverted cannot be written to. */
int sluice_log_refusal(struct sluice_log_image *image);

static inline bool sluice_log_simply_diverted(const struct sluice_log_image *image)
{
    return image->entry != NULL && sluice_log_still_diverted(image) && !sluice_log_lost(image)
        && atomic_load_explicit(&image->entry->error, memory_order_relaxed) == 0;
}

/* Whether an append may be tried, which looks at the slot by itself: 0, or why not. */
static inline int sluice_log_may_append(struct sluice_log_image *image)
{
    sluice_log_look(image);
    return sluice_log_simply_diverted(image) ? 0 : sluice_log_refusal(image);
}

/* The same before anything else. */
static inline int sluice_log_may_change(struct sluice_log_image *image)
{
    sluice_log_look(image);
    return image->entry != NULL && !sluice_log_held(image) ? sluice_log_refusal(image)
                                                           : sluice_log_may_append(image);
}
