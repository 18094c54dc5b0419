#include "tally.h"

#include "attachment.h"
#include "counter.h"
#include "segment.h"

static void add(_Atomic int64_t *counter, int64_t amount)
{
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

/* Returns the client, if its counters are still this process's; else NULL. */
static struct sluice_client *counting(const struct sluice_tally *tally)
{
    struct sluice_client *client = atomic_load_explicit(&tally->client, memory_order_relaxed);
    return client != NULL && sluice_pool_held(&client->writer.pool) ? client : NULL;
}

void sluice_tally_add(struct sluice_tally *tally, int reason, int64_t length)
{
    struct sluice_client *client = length > 0 ? counting(tally) : NULL;
    if (reason == SLUICE_REASON_NONE)
        reason = atomic_load_explicit(&tally->reason, memory_order_relaxed);
    if (reason < 0 || reason >= SLUICE_SLOT_REASONS)
        return;
    if (tally->segment != NULL && length > 0 && sluice_segment_present(tally->segment))
        add(&tally->segment->header->plain_bytes[reason], length);
    if (client == NULL)
        return;
    struct sluice_slot *slot = client->writer.slot;
    struct sluice_image_entry *entry = atomic_load_explicit(&tally->entry, memory_order_relaxed);
    add(&slot->reason_bytes[reason], length);
    if (entry != NULL) {
        const unsigned size_class = sluice_counter_class((size_t)length);
        add(&slot->direct_writes[size_class], 1);
        add(&slot->direct_bytes[size_class], length);
        add(&entry->direct_bytes, length);
    }
}

void sluice_tally_note(struct sluice_tally *tally, int reason)
{
    const int64_t bit = INT64_C(1) << reason;
    struct sluice_image_entry *entry = atomic_load_explicit(&tally->entry, memory_order_relaxed);
    const int64_t kept = (int64_t)SLUICE_REASON_UNSEEN | INT64_C(1) << SLUICE_REASON_CONTROL;
    if ((bit & kept) != 0 && entry != NULL && counting(tally) != NULL)
        atomic_fetch_or_explicit(&entry->unseen, bit, memory_order_relaxed);
}
